-- What of a long frame stands behind its first part. SQLite holds a value whole, and three times over while it is
-- written, so that values have a limit and frames have parts. Older versions wrote every frame as one value.
CREATE TABLE frame_rest (
    frame INTEGER NOT NULL,
    -- Counted from 1. Every part but the last has the same length.
    part  INTEGER NOT NULL,
    bytes BLOB NOT NULL
);
CREATE INDEX frame_rest_place ON frame_rest (frame, part);
