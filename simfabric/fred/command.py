"""`simfabric fred`: route flows through one Fred switch, show the routing or the conflict."""

import sys

from mitools.console import Given, Terms, UserError, choice, key, product, word, write_text
from simfabric.fred.ways import WAYS


def _switch(text: str) -> tuple[int, int]:
    parts = text.split(",")
    if len(parts) != 2 or not all(part.strip().isdecimal() and len(part) < 6 for part in parts):
        raise ValueError("is not P,m: ports and middle switches")
    return int(parts[0]), int(parts[1])


TERMS = Terms(
    "simfabric fred",
    "routes flows through a Fred switch and shows the routing",
    word("fred", "this word"),
    key("switch", "P,m", "ports, and middle switches of each level", required=True,
        convert=_switch),
    key("flows", "0,1,2;3>4,5", "inputs>outputs of each flow; inputs alone mean both",
        required=True),
    choice("resolve", WAYS, "a way out when the flows conflict"),
    product("svg", "FILE", "a picture of the routed switch"),
)  # fmt: skip
LARGEST = 256
"""Ports beyond which drawing and exact coloring are of no use to anybody."""


def body(arguments: list[str]) -> int:
    """Run the command; 1 when the flows conflict and no way out was asked for or found."""
    return _run(TERMS.parse(arguments))


def _run(given: Given) -> int:
    from simfabric.fred.configuration import configure
    from simfabric.fred.drawing import flows_text, picture, routing_text, settings_text
    from simfabric.fred.flows import parse
    from simfabric.fred.routing import Conflict, route
    from simfabric.fred.switch import Stage, count
    from simfabric.fred.ways import way_out

    ports, middles = given.switch
    if ports > LARGEST or middles > LARGEST:
        raise UserError(f"switch={ports},{middles} is too large", None, f"at most {LARGEST} each")
    stage = Stage(ports, middles)
    flows = parse(given.flows, ports)
    print(f"Fred_{middles}({ports}): {count(ports, middles)} micro-switches, {stage.levels} levels")
    found = route(stage, flows)
    if isinstance(found, Conflict):
        if given.resolve is None:
            raise UserError(
                found.text, None, f"resolve={'|'.join(WAYS)} shows ways out and their cost"
            )
        print(found.text)
        way = way_out(stage, flows, given.resolve)
        if way is None:
            raise UserError(f"no way out by {given.resolve} was found", None, "try another")
        print(f"{way.way}: {way.cost}")
        if way.ports is not None:
            moves = [f"{a}->{b}" for a, b in enumerate(way.ports) if a != b]
            print(f"moved ports: {', '.join(moves)}")
        stage, rounds = way.stage, way.rounds
    else:
        rounds = (flows,)
    for number, step in enumerate(rounds):
        if len(rounds) > 1:
            print(f"round {number}: {flows_text(step)}")
        routed = route(stage, step)
        if isinstance(routed, Conflict):
            raise AssertionError("a way out must route")
        settings = configure(routed)
        sys.stdout.write(routing_text(routed))
        sys.stdout.write(settings_text(settings))
        print(f"{settings.bits} configuration bits: {settings.word()}")
        if given.svg and number == 0:
            write_text(given.svg, picture(routed))
    return 0
