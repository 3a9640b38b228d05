-- What a person has seen of a server's tools, so that a change can be told. A server that is not here was never seen.
CREATE TABLE seen_server (
    name TEXT PRIMARY KEY,
    at   INTEGER NOT NULL
);
CREATE TABLE seen_tool (
    server     TEXT NOT NULL,
    name       TEXT NOT NULL,
    sha256     BLOB NOT NULL,
    -- NULL where it is too long to be kept; then only the digest tells.
    definition TEXT,
    at         INTEGER NOT NULL,
    -- Whether the tool may be called only as it was seen.
    pinned     INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (server, name)
);

-- Calls that a person gave a name.
CREATE TABLE saved_call (
    id        INTEGER PRIMARY KEY,
    server    TEXT NOT NULL,
    method    TEXT NOT NULL,
    target    TEXT NOT NULL,
    name      TEXT NOT NULL,
    arguments TEXT NOT NULL,
    UNIQUE (server, method, target, name)
);

-- What was last sent to each thing.
CREATE TABLE remembered (
    server    TEXT NOT NULL,
    method    TEXT NOT NULL,
    target    TEXT NOT NULL,
    arguments TEXT NOT NULL,
    at        INTEGER NOT NULL,
    PRIMARY KEY (server, method, target)
);
CREATE INDEX remembered_at ON remembered (at);

CREATE TABLE variable (
    name  TEXT PRIMARY KEY,
    value TEXT NOT NULL
);
