"""What is said. The texts are data: a changed text makes figures that do not compare."""

FOUR_SENTENCES = (
    "The tide was already turning when the two boats left the harbour. "
    "Nobody on the quay expected them back before dark. "
    "By noon the wind had gone round to the north, and the sea was grey and high. "
    "At six a single light showed beyond the rocks, and children began to run."
)
"""267 characters in four sentences, the length that peers are measured with."""

RECIPE = (
    "To make good bread you need flour, water, salt and a little patience, because the dough "
    "has to rest for most of the day before it goes into the oven. Fold it every hour. When it "
    "holds its shape and springs back slowly under your finger, it is ready to be baked."
)
"""Three sentences of unlike length, the first of them long: what an assistant would say."""

LONG_SENTENCE = (
    "When the committee that had been appointed in the spring to look into the state of the old "
    "bridge over the river finally met in the town hall on a wet evening in November, most of "
    "those who had called for it had long moved away, and the few who were left agreed that the "
    "bridge should stay as it was until somebody could say what a new one would cost."
)
"""About twenty seconds in one sentence."""

SHORT_SENTENCE = "Your train leaves at nine from platform four."

FIVE_SECONDS = "The old lighthouse keeper climbed the stairs every evening to light the great lamp."
"""One sentence of about five seconds, without a clause mark."""

ANSWER = (
    "Sunlight looks white to us, but it is made of all the colours of the rainbow. "
    "On its way to the ground it meets the small molecules of the air. "
    "Short waves such as blue are scattered by them much more than long ones such as red. "
    "So from wherever you look, some of that scattered blue light reaches your eyes. "
    "At sunset the light crosses far more air, the blue is gone, and what is left looks red."
)
"""Five sentences that the scripted model says, the first of them with a clause to begin with."""

PROMPT = "Why is the sky blue? Answer in five sentences."

CLIPS = (
    "Good morning, and thank you for calling.",
    "Your order was sent yesterday and should arrive on Friday.",
    "The meeting has been moved to three o'clock in the afternoon.",
    "Please wait a moment while I look that up for you.",
    "It will be cloudy today, with some rain towards the evening.",
    "The next train to the airport leaves in ten minutes.",
    "I have turned off the lights in the kitchen and the hall.",
    "Water boils sooner on a mountain than by the sea.",
    "You have two new messages, and one of them is from your sister.",
    "The library is open every day except Sunday.",
    "Turn left at the church and follow the road to the river.",
    "A good night's sleep is the best medicine for a tired mind.",
    "The museum shows pictures by young artists from all over the country.",
    "Stir the soup slowly and add a little salt at the end.",
    "My brother plays the piano, but he has never learned to read music.",
    "The last bus leaves the station at half past eleven.",
    "There is no need to print this letter, a copy is enough.",
    "Most birds fly south when the days become short.",
    "Could you tell me your name and your date of birth?",
    "The doctor will see you as soon as the room is free.",
    "We walked along the beach until the sun went down.",
    "This door must be kept closed when the machine is running.",
    "He wrote a long letter to his friend and forgot to post it.",
    "That is all I can find, is there anything else you want to know?",
)
"""Everyday sentences of two to four seconds, easy to write down when they are heard well."""

REPLIES = (
    (
        "Yes, you can take the bus, but the walk along the river is nicer in this weather. "
        "It takes about twenty minutes."
    ),
    (
        "Well done, and now let the dough rest for an hour, covered with a cloth. "
        "After that, put it in the oven."
    ),
    (
        "On most days, the shop opens at nine in the morning, but today it is closed. "
        "You could try again tomorrow."
    ),
    (
        "If you are late, please call the front desk, and somebody will wait for you at the door. "
        "The number is on your ticket."
    ),
    (
        "As far as I know, the last train leaves before midnight, so there is still time for "
        "dinner. I can book a table if you like."
    ),
    (
        "When you reach the old stone bridge, turn left, follow the path up the hill, and stop at "
        "the gate. The house is just behind the trees."
    ),
    (
        "The moon has no light of its own, it only sends back what comes from the sun. "
        "That is why we see it grow and shrink."
    ),
    (
        "Plants take in water through their roots and carry it up into the leaves, where the sun "
        "turns it into food. At night they rest, much as we do."
    ),
)
"""Answers whose first clause mark stands after 1, 2, 3, 4, 5, 7, 8 and 14 words."""
