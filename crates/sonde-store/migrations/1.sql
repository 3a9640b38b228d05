-- Who spoke. A log row carries the number, not the name.
CREATE TABLE server (
    id   INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE
);

-- One connection to one server, from start to end. `owner` is the process that records it.
CREATE TABLE connection (
    id      INTEGER PRIMARY KEY,
    server  INTEGER NOT NULL REFERENCES server (id),
    owner   INTEGER NOT NULL,
    started INTEGER NOT NULL,
    ended   INTEGER
);

-- One line of the log: an exchange with its answer, or a single frame. Narrow, so that paging and counting never
-- touch the bytes. `seq` is dense, so a place in the log is a rowid.
CREATE TABLE row (
    seq        INTEGER PRIMARY KEY,
    connection INTEGER NOT NULL REFERENCES connection (id),
    server     INTEGER NOT NULL,
    at         INTEGER NOT NULL,
    dir        INTEGER NOT NULL,
    kind       INTEGER NOT NULL,
    method     TEXT,
    target     TEXT,
    id         TEXT,
    status     INTEGER,
    code       INTEGER,
    dur        INTEGER,
    size       INTEGER NOT NULL,
    findings   TEXT,
    request    INTEGER,
    response   INTEGER
);

CREATE INDEX row_method ON row (method);
CREATE INDEX row_server ON row (server);
-- Only what is rare enough to be looked for: 0 exchange, 1 notification; 1 ok.
-- Two of them, because the order of the log must follow from the index with and without a server.
CREATE INDEX row_kind ON row (kind) WHERE kind > 1;
CREATE INDEX row_kind_server ON row (kind, server) WHERE kind > 1;
CREATE INDEX row_status ON row (status) WHERE status <> 1;

-- The bytes, in the order they were seen. A row names its frames, because a batch is one frame of many rows.
CREATE TABLE frame (
    id     INTEGER PRIMARY KEY,
    row    INTEGER NOT NULL,
    dir    INTEGER NOT NULL,
    at     INTEGER NOT NULL,
    -- The length on the wire, and the digest of the whole where `bytes` is only its first part.
    size   INTEGER NOT NULL,
    sha256 BLOB,
    bytes  BLOB NOT NULL
);
