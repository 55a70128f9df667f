"""A structured-output reward: does the object validate against the types of the row's schema?

After: JSON-mode rewards of tool-use recipes. Hole: the values are only looked at for their type; a wrong key or a type
that does not fit costs it all.
"""
import json
import re

TYPES = {"string": str, "number": (int, float), "integer": int, "array": list, "boolean": bool, "object": dict}


def validates(completion, schema):
    block = re.search(r"\{.*\}", completion, re.S)
    try:
        said = json.loads(block[0])
    except Exception:
        return 0.0
    good = [key in said and isinstance(said[key], TYPES[kind]) for key, kind in schema.items()]
    return 1.0 if all(good) and set(said) == set(schema) else sum(good) / len(good) / 3
