"""This book, handed to the engine that proves pages: its names, records, labs, tables and ledger."""
