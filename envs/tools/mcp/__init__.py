"""The tools of a server that speaks the Model Context Protocol, as tools of ours."""
