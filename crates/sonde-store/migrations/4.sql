-- One HTTP request and what came of it, beside the messages that travelled in it. A connection counts its own from 1.
CREATE TABLE http (
    connection       INTEGER NOT NULL REFERENCES connection (id),
    number           INTEGER NOT NULL,
    -- The number of the exchange that this one repeats or goes on with.
    follows          INTEGER,
    method           TEXT NOT NULL,
    url              TEXT NOT NULL,
    started          INTEGER NOT NULL,
    -- Headers are a JSON list of pairs, with secrets masked.
    request_headers  TEXT NOT NULL,
    -- NULL until the server answered.
    status           INTEGER,
    version          TEXT,
    response_headers TEXT,
    -- Nanoseconds of each phase; NULL where it did not happen.
    dns              INTEGER,
    connect          INTEGER,
    handshake        INTEGER,
    first_byte       INTEGER,
    reading          INTEGER,
    -- A JSON object, where the connection is encrypted.
    tls              TEXT,
    -- Bytes by what became of them; events and comment_lines are counted.
    sent             INTEGER NOT NULL,
    body             INTEGER NOT NULL,
    recorded         INTEGER NOT NULL,
    comments         INTEGER NOT NULL,
    framing          INTEGER NOT NULL,
    dropped          INTEGER NOT NULL,
    events           INTEGER NOT NULL,
    comment_lines    INTEGER NOT NULL,
    compressed       INTEGER NOT NULL,
    -- Nanoseconds from the start to the end; NULL while it goes on.
    after            INTEGER,
    problem          TEXT,
    PRIMARY KEY (connection, number)
);
CREATE INDEX http_follows ON http (connection, follows) WHERE follows IS NOT NULL;

-- The number of the exchange that a frame travelled in, and what its event had beside data, as a JSON object.
ALTER TABLE frame ADD COLUMN http INTEGER;
ALTER TABLE frame ADD COLUMN event TEXT;
