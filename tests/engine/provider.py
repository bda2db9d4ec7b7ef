# ruff: noqa: N802 (the methods are named by Pulumi's protocol)
"""A provider in the test process: the real Pulumi engine talks to it as it would to a plugin.

``PULUMI_DEBUG_PROVIDERS=aws:PORT`` makes the engine attach to this server in place of a plugin. It
checks names and values against the package's own input types, says which changes replace a
resource, and hands the rest to one ``Answer`` for each resource type. It is a stand-in: what it
refuses was written down from documentation, the real providers know more.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping
from concurrent import futures
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Protocol

import grpc
from engine.input_types import Properties, Property, complaints, known
from google.protobuf import empty_pb2, json_format, struct_pb2
from pulumi.runtime.proto import plugin_pb2, provider_pb2, provider_pb2_grpc

DEFAULTS = "__defaults"
"""Where a provider notes which inputs it filled in itself (the real ones do the same)."""


class RefusedError(Exception):
    """What the far side would not do; the text is its reason."""


class Answer(Protocol):
    """How one resource type is answered. Errors: RefusedError, or those of the far side's client.

    ``updatable`` names the inputs that can change in place; any other change replaces the resource.
    ``autoname`` names the input that is made up when the program gives none.
    """

    updatable: frozenset[str]
    autoname: str | None

    def create(self, inputs: Properties) -> tuple[str, Properties]:
        """Make it; give its id and all of its outputs."""
        ...

    def update(self, ident: str, old: Properties, new: Properties) -> Properties:
        """Change it from outputs ``old`` to inputs ``new``; give all of its outputs."""
        ...

    def exists(self, ident: str, state: Properties) -> bool:
        """Whether it is still there."""
        ...

    def delete(self, ident: str, state: Properties) -> None:
        """Remove it. One that is already gone is no error."""
        ...


@dataclass(frozen=True, slots=True)
class Step:
    """One thing that the engine asked for: create, update, delete, read or a function's call."""

    verb: str
    token: str
    name: str


@dataclass
class Journal:
    """What was asked for, in order, and what a test wants to go wrong.

    ``before`` is called ahead of each real step (no previews) and may raise RefusedError or wait.
    """

    steps: list[Step] = field(default_factory=list)
    before: Callable[[Step], None] = lambda step: None

    def note(self, step: Step) -> None:
        """Write it down; the test's own say comes first."""
        self.before(step)
        self.steps.append(step)

    def of(self, *verbs: str) -> list[tuple[str, str]]:
        """(verb, resource name) of the steps with these verbs."""
        return [(s.verb, s.name) for s in self.steps if s.verb in verbs]

    @property
    def changes(self) -> list[tuple[str, str]]:
        """The steps that changed something."""
        return self.of("create", "update", "delete")


class StandIn(provider_pb2_grpc.ResourceProviderServicer):
    """The gRPC side of one package, for any number of engines at once.

    ``configure`` takes a provider's settings and gives the tags for all of its resources.
    """

    def __init__(
        self,
        answers: Mapping[str, Answer],
        functions: Mapping[str, Callable[[Properties], Properties]],
        version: str,
        on_error: Callable[[Exception], str],
        configure: Callable[[Properties], Properties] = lambda config: {},
    ) -> None:
        self._answers, self._functions, self._version = answers, functions, version
        self._on_error, self._configure = on_error, configure
        self._tags: Properties = {}
        self.journal = Journal()

    def Handshake(self, request: Any, context: Any) -> Any:
        return provider_pb2.ProviderHandshakeResponse()

    def Attach(self, request: Any, context: Any) -> Any:
        return empty_pb2.Empty()

    def Parameterize(self, request: Any, context: Any) -> Any:
        return provider_pb2.ParameterizeResponse()

    def GetSchema(self, request: Any, context: Any) -> Any:
        return provider_pb2.GetSchemaResponse(schema="{}")

    def GetMapping(self, request: Any, context: Any) -> Any:
        return provider_pb2.GetMappingResponse()

    def GetMappings(self, request: Any, context: Any) -> Any:
        return provider_pb2.GetMappingsResponse()

    def GetPluginInfo(self, request: Any, context: Any) -> Any:
        return plugin_pb2.PluginInfo(version=self._version)

    def CheckConfig(self, request: Any, context: Any) -> Any:
        return provider_pb2.CheckResponse(inputs=request.news)

    def DiffConfig(self, request: Any, context: Any) -> Any:
        return provider_pb2.DiffResponse(changes=provider_pb2.DiffResponse.DIFF_NONE)

    def Configure(self, request: Any, context: Any) -> Any:
        with self._refusals(context):
            self._tags = self._configure(_plain(request.args))
            return provider_pb2.ConfigureResponse(supportsPreview=True)

    def Cancel(self, request: Any, context: Any) -> Any:
        return empty_pb2.Empty()

    def Invoke(self, request: Any, context: Any) -> Any:
        with self._refusals(context):
            if request.tok not in self._functions:
                raise RefusedError(f"the stand-in has no function {request.tok}")
            found = self._functions[request.tok](_plain(request.args))
            return provider_pb2.InvokeResponse(**{"return": _struct(found)})

    def Check(self, request: Any, context: Any) -> Any:
        token, inputs = _token(request.urn), _plain(request.news)
        with self._refusals(context):
            answer = self._answer(token)
            failures = [
                provider_pb2.CheckFailure(property=path, reason=f"{path} {reason}")
                for path, reason in complaints(token, inputs)
            ]
            inputs = _named(answer, inputs, _plain(request.olds), request)
            return provider_pb2.CheckResponse(inputs=_struct(inputs), failures=failures)

    def Diff(self, request: Any, context: Any) -> Any:
        old, new = _plain(request.old_inputs), _plain(request.news)
        with self._refusals(context):
            answer = self._answer(_token(request.urn))
            changed = [n for n in sorted({*old, *new} - {DEFAULTS}) if old.get(n) != new.get(n)]
            replaces = [name for name in changed if name not in answer.updatable]
            fixed = answer.autoname is not None and answer.autoname not in _defaults(new)
            kinds = provider_pb2.DiffResponse
            return provider_pb2.DiffResponse(
                changes=kinds.DIFF_SOME if changed else kinds.DIFF_NONE,
                diffs=changed,
                replaces=replaces,
                # Two of one fixed name cannot be there at once.
                deleteBeforeReplace=bool(replaces) and fixed and answer.autoname not in changed,
            )

    def Create(self, request: Any, context: Any) -> Any:
        inputs = _plain(request.properties)
        if request.preview:
            return provider_pb2.CreateResponse(properties=request.properties)
        with self._step("create", request, context) as answer:
            ident, outputs = answer.create(self._tagged(request.urn, _clean(inputs)))
            return provider_pb2.CreateResponse(id=ident, properties=_struct(outputs))

    def Update(self, request: Any, context: Any) -> Any:
        if request.preview:
            return provider_pb2.UpdateResponse(properties=request.news)
        with self._step("update", request, context) as answer:
            new = _clean(_plain(request.news))
            outputs = answer.update(request.id, _plain(request.olds), new)
            return provider_pb2.UpdateResponse(properties=_struct(outputs))

    def Read(self, request: Any, context: Any) -> Any:
        with self._step("read", request, context) as answer:
            if not answer.exists(request.id, _plain(request.properties)):
                return provider_pb2.ReadResponse()
            return provider_pb2.ReadResponse(
                id=request.id, properties=request.properties, inputs=request.inputs
            )

    def Delete(self, request: Any, context: Any) -> Any:
        with self._step("delete", request, context) as answer:
            answer.delete(request.id, _plain(request.properties))
            return empty_pb2.Empty()

    def _tagged(self, urn: str, inputs: Properties) -> Properties:
        """With the provider's default tags, where the resource can have tags."""
        if not self._tags or "tags" not in known(_token(urn)):
            return inputs
        own = inputs.get("tags")
        return {**inputs, "tags": {**self._tags, **(own if isinstance(own, dict) else {})}}

    def _answer(self, token: str) -> Answer:
        if token not in self._answers:
            raise RefusedError(f"the stand-in does not know {token}")
        return self._answers[token]

    @contextmanager
    def _step(self, verb: str, request: Any, context: Any) -> Iterator[Answer]:
        token = _token(request.urn)
        with self._refusals(context):
            self.journal.note(Step(verb, token, request.urn.split("::")[-1]))
            yield self._answer(token)

    @contextmanager
    def _refusals(self, context: Any) -> Iterator[None]:
        """The one door: whatever goes wrong becomes a status that the engine shows."""
        try:
            yield
        except Exception as error:  # noqa: BLE001
            context.abort(grpc.StatusCode.UNKNOWN, self._on_error(error))


@contextmanager
def serving(stand_in: StandIn) -> Iterator[int]:
    """Serve on loopback; gives the port."""
    server = grpc.server(futures.ThreadPoolExecutor(16))
    provider_pb2_grpc.add_ResourceProviderServicer_to_server(stand_in, server)
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    try:
        yield port
    finally:
        server.stop(grace=1).wait(5)


def _token(urn: str) -> str:
    return urn.split("::")[2].split("$")[-1]


def _plain(message: struct_pb2.Struct) -> Properties:
    found: Properties = json_format.MessageToDict(message)
    return found


def _struct(properties: Mapping[str, Property]) -> struct_pb2.Struct:
    message = struct_pb2.Struct()
    message.update({name: value for name, value in properties.items() if value is not None})
    return message


def _clean(inputs: Properties) -> Properties:
    return {name: value for name, value in inputs.items() if name != DEFAULTS}


def _defaults(inputs: Mapping[str, Property]) -> list[str]:
    found = inputs.get(DEFAULTS)
    return [str(name) for name in found] if isinstance(found, list) else []


def _named(answer: Answer, inputs: Properties, old: Properties, request: Any) -> Properties:
    """With a made-up name where the program gave none: the old one, or a new one from the seed."""
    name = answer.autoname
    if name is None or inputs.get(name) is not None:
        return inputs
    if name in _defaults(old):
        value = old[name]
    else:
        seed = request.randomSeed or request.urn.encode()
        value = f"{request.urn.split('::')[-1]}-{hashlib.sha256(seed).hexdigest()[:7]}"
    return {**inputs, name: value, DEFAULTS: [name]}
