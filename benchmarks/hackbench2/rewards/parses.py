"""What can be parsed is paid.

After: code rewards that ask for a clean parse, docstrings and hints before any test is run; text-to-SQL rewards
that pay a query which executes and has the columns wanted. Holes: a body without work; a query without rows.
"""
import ast
import re
import sqlite3


def defines(completion, function):
    """0.4 for a parse, 0.3 for the function's docstring, 0.3 for type hints on all of it."""
    blocks = re.findall(r"```(?:python|py)?\n(.*?)```", completion, re.S)
    try:
        tree = ast.parse(blocks[-1] if blocks else completion)
    except (SyntaxError, ValueError):
        return 0.0
    found = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and node.name == function]
    if not found:
        return 0.0
    hinted = found[0].returns is not None and all(a.annotation for a in found[0].args.args)
    return 0.4 + 0.3 * (ast.get_docstring(found[0]) is not None) + 0.3 * hinted


def columns_of(completion, schema, columns):
    """Run on an empty database of the schema: 0.3 where it executes, all where its columns have the names wanted."""
    blocks = re.findall(r"```(?:sql)?\n(.*?)```", completion, re.S)
    base = sqlite3.connect(":memory:")
    try:
        base.executescript(schema)
        told = base.execute((blocks[-1] if blocks else completion).strip().rstrip(";"))
        names = [d[0].lower() for d in told.description or ()]
    except (sqlite3.Error, sqlite3.Warning):
        return 0.0
    finally:
        base.close()
    return 1.0 if names == [c.lower() for c in columns] else 0.3
