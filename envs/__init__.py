"""The environments that come with rlenv: registered here by strings, imported when they are made."""

from rlenv.env.keywords import PLAIN, Allowed, Between
from rlenv.env.registry import register
from rlenv.envs.reasoning_gym.catalogue import KEPT, LEFT_OUT, env_id
from rlenv.turns.tools import register_tool

_STEPS: dict[str, Allowed] = {
    "credit": PLAIN,
    "process_weight": Between(0, 1),
    "steps_in": PLAIN,
}

for _version in (0, 1):
    register(
        f"math/arithmetic-v{_version}",
        entry_point="rlenv.envs.math.arithmetic:arithmetic",
        kwargs={"version": _version},
    )
    register(
        f"math/countdown-v{_version}",
        entry_point="rlenv.envs.math.countdown:countdown",
        kwargs={"version": _version},
        row_may_set={"use": PLAIN},
    )
    for _name in ("gsm8k", "math500", "math", "aime24", "aime25", "amc23", "svamp"):
        register(
            f"math/{_name}-v{_version}",
            entry_point="rlenv.envs.math.problem_sets:problem_set",
            kwargs={"name": _name, "version": _version},
            row_may_set={"subject": PLAIN, "policy": PLAIN, "verifier": PLAIN},
        )
register("format/tags-v0", entry_point="rlenv.envs.format.tags:tags", kwargs={"unseen_is_blank": False})
register("format/tags-v1", entry_point="rlenv.envs.format.tags:tags")
register("format/json-v0", entry_point="rlenv.envs.format.json_schema:json_format", row_may_set={"extra_text": PLAIN})
register(
    "format/regex-v0",
    entry_point="rlenv.envs.format.regular_expression:regex_format",
    row_may_set={"engine": ("re2",)},
)
register(
    "format/instructions-v0",
    entry_point="rlenv.envs.format.instructions.environment:instructions",
    row_may_set={
        "kinds": PLAIN,
        "fewest": Between(1, 100),
        "most": Between(1, 100),
        "mode": PLAIN,
        "reward": PLAIN,
    },
)
register(
    "process/arithmetic-v0",
    entry_point="rlenv.envs.process.arithmetic:arithmetic",
    row_may_set={**_STEPS, "scorer": ("exact",)},
)
register(
    "process/gsm8k-v0",
    entry_point="rlenv.envs.process.gsm8k:gsm8k",
    row_may_set={**_STEPS, "scorer": ("symbolic",), "cut": PLAIN, "separator": PLAIN},
)
_GRADING: dict[str, Allowed] = {"trust": ("split",), "official": (False,), "probe": (False, True)}
register(
    "code/humaneval-v0", entry_point="rlenv.envs.code.humaneval:humaneval", row_may_set={**_GRADING, "style": PLAIN}
)
register("code/mbpp-v0", entry_point="rlenv.envs.code.mbpp:mbpp", row_may_set=_GRADING)
register("code/apps-v0", entry_point="rlenv.envs.code.apps:apps", row_may_set={"difficulty": PLAIN})
register("code/stdio-v0", entry_point="rlenv.envs.code.stdio_tasks:stdio")
register(
    "code/snippets-v0",
    entry_point="rlenv.envs.code.snippets:snippets",
    row_may_set={"style": PLAIN, "probe": (False, True)},
)
register(
    "code/repair-v0",
    entry_point="rlenv.envs.code.repair:repair",
    row_may_set={
        "source": PLAIN,
        "attempts": Between(1, 64),
        "examples": Between(0, 64),
        "discount": Between(0, 1),
    },
)
register(
    "safety/rm-v0",
    entry_point="rlenv.envs.safety.reward_model:reward_model",
    needs={
        "scorer": "the folder of a model that `rlenv train-rm` made, a hub id, or package.module:function; "
        "scorer=toy is the small model that comes along, for trials and tests only; what fools it: "
        "docs/learned_reward_and_cost.md"
    },
    row_may_set={
        "scorer": ("toy",),
        "cost": (),
        "guarded": (True,),
        "squash": (False, True),
        "weight": PLAIN,
        "budget": PLAIN,
        "floor": PLAIN,
        "lagrangian": PLAIN,
    },
)
register(
    "safety/refusal-v0",
    entry_point="rlenv.envs.safety.refusal_environment:refusal_environment",
    needs={
        "scorer": "a judge of replies to harmful prompts: a reward model's folder or hub id, an LLM judge, or "
        "package.module:function; scorer=toy is the plain rules that come along, for trials (docs/safety.md)"
    },
    row_may_set={"scorer": ("toy",), "harmful_partial": Between(0, 1), "harmless_partial": Between(0, 1)},
)
register("safety/agreement-v0", entry_point="rlenv.envs.safety.agreement:agreement", row_may_set={"questions": PLAIN})
register(
    "safety/pressure-v0",
    entry_point="rlenv.envs.safety.pressure:pressure",
    row_may_set={"questions": PLAIN, "rounds": Between(1, 64)},
)
for _name in ("guess", "mastermind", "wordle", "nim", "tictactoe", "hanoi", "maze", "blackjack"):
    register(f"games/{_name}-v0", entry_point="rlenv.envs.games.tasks:game_environment", kwargs={"name": _name})
register("tools/orders-v0", entry_point="rlenv.envs.tools.orders.environment:orders")
register("tools/search-v0", entry_point="rlenv.envs.tools.search.environment:search_questions")
register(
    "container/tasks-v0",
    entry_point="rlenv.envs.containers.environment:container_tasks",
    needs={"tasks": "a folder of tasks in Harbor's format, or of such folders (docs/containers.md)"},
    row_may_set={
        "task": PLAIN,
        "tasks": (),
        "base": (),
        "network": (False,),
        "in_process": (False,),
        "backend": (),
    },
)
_GENERATED: dict[str, Allowed] = {"config": PLAIN, "own_scorer": (False, True)}
for _name in KEPT:
    register(
        env_id(_name),
        entry_point="rlenv.envs.reasoning_gym.environment:reasoning_gym",
        kwargs={"name": _name},
        row_may_set=_GENERATED,
    )
for _name, _why in LEFT_OUT.items():
    register(
        env_id(_name),
        entry_point="rlenv.envs.reasoning_gym.environment:reasoning_gym",
        kwargs={"name": _name},
        needs={"own_scorer": f"it is not in the default set ({_why}); true takes it as it is, with its own scorer"},
        row_may_set=_GENERATED,
    )

register_tool("calculator", "rlenv.envs.tools.calculator:calculator")
register_tool("mcp", "rlenv.envs.tools.mcp.tool:mcp", takes="server")
register_tool("python", "rlenv.envs.tools.python:python")
