import threading

import pytest
from firstword.tts.engines.vocoder.crew import Crew

DEADLINE_S = 10


def test_one_caller_alone_is_helped():
    crew = Crew(2)
    both = threading.Barrier(2, timeout=DEADLINE_S)
    names = []

    def work():
        both.wait()
        names.append(threading.current_thread().name)

    with crew.calling():
        crew.run(work)
    assert len(set(names)) == 2
    crew.close()


def test_as_many_callers_as_threads_work_alone():
    crew = Crew(2)
    names = []
    with crew.calling(), crew.calling():
        crew.run(lambda: names.append(threading.current_thread().name))
    assert names == [threading.current_thread().name]
    crew.close()


def test_a_helpers_failure_is_the_callers():
    crew = Crew(2)
    begun = threading.Event()
    main = threading.current_thread()

    def work():
        if threading.current_thread() is main:
            assert begun.wait(DEADLINE_S)
        else:
            begun.set()
            raise ArithmeticError("broken")

    with pytest.raises(ArithmeticError, match="broken"):
        crew.run(work)
    ran = []
    crew.run(lambda: ran.append(1))
    assert ran
    crew.close()


def test_the_callers_own_failure_leaves_the_crew_usable():
    crew = Crew(2)

    def work():
        raise LookupError

    for _ in range(3):
        with pytest.raises(LookupError):
            crew.run(work)
    crew.close()


def test_a_closed_crew_goes_on_alone():
    crew = Crew(3)
    crew.close()
    ran = []
    crew.run(lambda: ran.append(1))
    assert ran == [1]


def test_a_crew_of_nobody_is_refused():
    with pytest.raises(ValueError, match="at least one"):
        Crew(0)
