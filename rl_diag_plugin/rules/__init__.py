"""The rules: a package a chapter, a file a rule, found by discovery."""
