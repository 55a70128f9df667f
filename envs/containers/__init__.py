"""Tasks in containers: folders in Harbor's format as an environment whose verdict is made where the agent never was."""
