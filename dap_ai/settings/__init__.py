"""The settings in force and where each value came from: command line, environment, project file, user file, default."""
