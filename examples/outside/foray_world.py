"""Your own system for Foray, as a Python program. Standard library only.

Write a class that says what the system is and what it does, and serve it:

    import foray_world

    class Coin(foray_world.World):
        name = "coin"
        states = 2                      # finite: states are 0 and 1
        actions = ["toss", "keep"]
        horizon = 10
        simulators = 2                  # a fair coin, a bent one
        rewards = ["heads"]

        def reset(self, key):
            return 0                    # a number, or a sequence of them where states are vectors

        def step(self, key, simulator, action, state):
            ...
            return next_state

        def reward(self, name, state, action):
            return float(state[0] == 1)

    foray_world.serve(Coin())

Then: foray world check "exec:python3 coin.py"

One rule: what step and reset return may depend on their arguments and on nothing else. All
randomness comes from the key: uniform(key, i) is the i-th random number in [0,1) that belongs to
it, the same that C programs get from foray_plugin_uniform; random.Random(key) works as well.
print() is safe: standard output is redirected to standard error. The protocol is described in
docs/outside.md.
"""

import os
import struct
import sys
import traceback
from array import array

REALITY = -1

_HELLO, _SPEC, _RESET, _STEP, _REWARD, _GOODBYE, _ERROR = range(1, 8)
_HEADER = struct.Struct("<IIQ")  # bytes of the body, type, sequence number
_MAGIC = b"FORAYWLD"
_VERSION = 1  # of the protocol
_MASK = (1 << 64) - 1


def bits(key, i=0):
    """The i-th 64 random bits of a key: SplitMix64 started at the key."""
    x = (key + (i + 1) * 0x9E3779B97F4A7C15) & _MASK
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & _MASK
    return x ^ (x >> 31)


def uniform(key, i=0):
    """The i-th uniform random number in [0,1) that belongs to a key."""
    return (bits(key, i) >> 11) * 2.0**-53


class done:
    """What step returns where the state that follows is absorbing: done(state)."""

    def __init__(self, state):
        self.state = state


class World:
    """What a system is (set these in your class) and what it does (write these)."""

    name = "world"
    states = 0  # 0: states are vectors; otherwise integers below this
    low = ()  # the box of vectors, one number for each dimension
    high = ()
    dimensions = ()  # names of the dimensions (optional)
    actions = ()  # names of the actions
    horizon = 1  # steps of an episode
    simulators = 0
    weights = None  # how reality mixes the simulators; None: not known
    deterministic = False  # True: simulators (not reality) do not look at the key
    rewards = ()  # names of rewards
    sequential = False  # True: step goes on from where the last one led; the program remembers

    def reset(self, key):
        """The first state of an episode: a sequence of numbers, or a number where one is enough."""
        raise NotImplementedError("write a method reset(self, key)")

    def step(self, key, simulator, action, state):
        """The state that follows; simulator REALITY (-1) is the real system. done(state) if that
        state is absorbing: the episode ends there, and step is not asked again."""
        raise NotImplementedError("write a method step(self, key, simulator, action, state)")

    def reward(self, name, state, action):
        """A number in [0,1]."""
        raise NotImplementedError("write a method reward(self, name, state, action)")

    def step_all(self, keys, simulators, actions, states):
        """Many questions at once. Arrays in, states one after another; an array out, or one and a
        byte for each state: is it absorbing? Override it if you have a faster way than one at a
        time."""
        n = len(states) // len(keys)
        answers, dones = array("d"), bytearray(len(keys))
        step = self.step
        for i, key in enumerate(keys):
            state = states[i * n : i * n + n]
            answer = step(key, simulators[i], actions[i], state)
            if isinstance(answer, done):
                dones[i] = 1
                answer = answer.state
            answers.extend(_state("step", answer, n))
        return answers, dones


def _state(method, answer, n):
    """What a method returned as n numbers, or a message that says what it should have been."""
    if n == 1 and isinstance(answer, (int, float)):
        return (answer,)
    try:
        if len(answer) == n:
            return array("d", answer)
    except TypeError:
        pass
    wanted = "a number" if n == 1 else f"{n} numbers, one for each dimension"
    raise ValueError(f"{method} returned {answer!r}, but a state is {wanted}")


def _numbers(kind, data):
    """An array from little-endian bytes."""
    numbers = array(kind)
    numbers.frombytes(data)
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers


def _doubles(values):
    """Little-endian bytes from numbers."""
    numbers = values if isinstance(values, array) else array("d", values)
    if sys.byteorder == "big":
        numbers = array("d", numbers)
        numbers.byteswap()
    return numbers.tobytes()


def _name(text):
    data = text.encode()
    return struct.pack("<I", len(data)) + data


def _check(world):
    """Catches what the other side would only see as a garbled spec."""
    if len(world.low) != len(world.high):
        raise ValueError("low and high must have the same length")
    if not world.states and not world.low:
        raise ValueError("set states, or low and high")
    if not world.actions:
        raise ValueError("set actions, the names of the actions")
    for name in (world.name, *world.dimensions, *world.actions, *world.rewards):
        if not isinstance(name, str):
            raise ValueError(f"names are texts, and {name!r} is not")
    if world.dimensions and len(world.dimensions) != (1 if world.states else len(world.low)):
        raise ValueError("name every dimension, or none")
    if world.weights is not None and len(world.weights) != world.simulators:
        raise ValueError("give a weight for every simulator, or set weights to None")
    if world.sequential and world.simulators:
        raise ValueError("a sequential program has no simulators: it can only be tried")


class _Server:
    def __init__(self, world):
        _check(world)
        self.world = world
        self.n = 1 if world.states else len(world.low)
        self.answers = {
            _HELLO: self.hello,
            _SPEC: self.spec,
            _RESET: self.reset,
            _STEP: self.step,
            _REWARD: self.reward,
        }

    def hello(self, body):
        if body[:8] != _MAGIC:
            raise ValueError("this is not a HELLO")
        return _MAGIC + struct.pack("<II", _VERSION, 0)  # Foray says so if it speaks another

    def spec(self, _body):
        w = self.world
        low = [0] if w.states else w.low
        high = [w.states - 1] if w.states else w.high
        flags = (w.weights is not None) + 2 * bool(w.dimensions) + 4 + 8 * bool(w.deterministic)
        flags += 16 * bool(w.sequential)
        sizes = (w.states, self.n, len(w.actions), w.horizon, w.simulators, len(w.rewards), flags)
        names = [w.name, *w.dimensions, *w.actions, *w.rewards]
        return b"".join(
            [struct.pack("<6qQ", *sizes), _doubles(low), _doubles(high), _doubles(w.weights or ())]
            + [_name(name) for name in names]
        )

    def reset(self, body):
        return _doubles(_state("reset", self.world.reset(*struct.unpack("<Q", body)), self.n))

    def step(self, body):
        (count,) = struct.unpack_from("<Q", body)
        keys = _numbers("Q", body[8 : 8 + 8 * count])
        simulators = _numbers("i", body[8 + 8 * count : 8 + 12 * count])
        actions = _numbers("i", body[8 + 12 * count : 8 + 16 * count])
        states = _numbers("d", body[8 + 16 * count :])
        answers, dones = self.world.step_all(keys, simulators, actions, states), bytes(count)
        if isinstance(answers, tuple) and isinstance(answers[-1], (bytes, bytearray)):
            answers, dones = answers
        if len(answers) != len(states):
            raise ValueError(
                f"step_all returned {len(answers)} numbers, but {count} states have {len(states)}"
            )
        return _doubles(answers) + bytes(dones)

    def reward(self, body):
        index, action = struct.unpack_from("<qq", body)
        state = _numbers("d", body[16:])
        name = self.world.rewards[index]
        reward = self.world.reward(name, state, action)
        if not isinstance(reward, (int, float)) or not 0 <= reward <= 1:
            raise ValueError(f"reward {name} returned {reward!r}, but it must be from 0 to 1")
        return struct.pack("<d", reward)


def _channels():
    """The two pipes to Foray, which it hands over when it starts the program."""
    try:
        return os.fdopen(3, "rb", buffering=1 << 18), os.fdopen(4, "wb", buffering=0)
    except OSError:
        program = os.path.basename(sys.argv[0]) or "PROGRAM.py"
        sys.exit(
            f"{program}: this program answers questions of Foray, which starts it:\n"
            f'    foray world check "exec:python3 {program}"'
        )


def serve(world):
    """Answers questions until Foray says goodbye or exits. A failure is reported to Foray in one
    line, and printed in full on standard error."""
    server = _Server(world)
    questions, answers = _channels()

    def write(kind, sequence, body):
        rest = memoryview(_HEADER.pack(len(body), kind, sequence) + body)
        while rest:
            rest = rest[answers.write(rest) :]

    def answer(kind, body):
        try:
            return kind, server.answers[kind](body)
        except Exception as error:
            traceback.print_exc()
            return _ERROR, f"{type(error).__name__}: {error}".encode()[:1000]

    while True:
        header = questions.read(_HEADER.size)
        if len(header) < _HEADER.size:
            return
        length, kind, sequence = _HEADER.unpack(header)
        if kind == _GOODBYE:
            return
        kind, body = answer(kind, questions.read(length))
        try:
            write(kind, sequence, body)
        except BrokenPipeError:
            return
        if kind == _ERROR:
            sys.exit(1)
