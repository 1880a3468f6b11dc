"""What serves agent loops that embedders write: tools of their own, and what a model is asked.

In go the actions that are pending and the turns of a model; out come tool choices and reminders.
A surface that only stages and resolves needs none of it; nothing here resolves.
"""
