"""The crates that `.ci/mutants` and `.ci/coverage` measure."""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Crate:
    # Goals in percent: mutants that a test kills, and lines that a test runs.
    mutants: int
    lines: int
    # Packages whose tests cover this crate besides its own.
    others: list[str] = field(default_factory=list)


# In the order in which they are measured: the smallest and most important first.
CRATES = {
    "gateway-model-core": Crate(90, 95, ["gateway-model"]),
    "gateway-transport": Crate(90, 95),
    "gateway-client-core": Crate(90, 95, ["gateway-client", "gateway-tests"]),
    "gateway-client": Crate(90, 95, ["gateway-tests"]),
    "gateway-model": Crate(90, 95, ["gateway-tests"]),
    "gateway-mirror": Crate(90, 95),
    "gateway-codegen": Crate(90, 95, ["xtask"]),
    "gateway-postgres": Crate(85, 95),
    "gateway-testkit-core": Crate(85, 95, ["gateway-transport", "gateway-tests"]),
    "gateway-testkit": Crate(85, 95, ["gateway-tests"]),
    "gateway-server": Crate(85, 90, ["gateway-tests"]),
    "gateway-cli-core": Crate(85, 90, ["gateway-cli"]),
    "gateway-cli": Crate(85, 90),
    "gateway-dashboard": Crate(85, 90, ["gateway-cli-core"]),
    "xtask": Crate(85, 90),
}

# Parts of the names of tests that build whole workspaces or kill processes; they take minutes each.
SLOW = ["another_service", "evolution", "samples", "examples", "packages", "dependencies", "wasm", "random_specs", "kill::", "webhook::killed"]


def folder(crate):
    return crate if crate == "xtask" else f"crates/{crate}"
