"""``python -m rl_diag_plugin.demo [DIR]``: makes a healthy and a broken run in two formats, and diagnoses both."""
