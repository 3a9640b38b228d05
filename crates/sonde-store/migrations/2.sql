-- A process number is used again in time; the number with the start of its process is not. NULL in what older
-- versions recorded.
ALTER TABLE connection ADD COLUMN owner_start INTEGER;

-- The newest row when the connection began: its own rows all come after it, so nobody looks for them further down.
ALTER TABLE connection ADD COLUMN first_row INTEGER NOT NULL DEFAULT 0;
