-- oldest-compatible: 1

-- When users last signed out: their sessions that began by then have ended, wherever a copy of the cookie is.
CREATE TABLE sign_outs (
  user_id       TEXT PRIMARY KEY NOT NULL,
  signed_out_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX sign_outs_by_age ON sign_outs (signed_out_at);
