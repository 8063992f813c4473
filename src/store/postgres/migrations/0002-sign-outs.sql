-- oldest-compatible: 1

-- When users last signed out: their sessions that began by then have ended, wherever a copy of the cookie is.
CREATE TABLE sign_outs (
  user_id       text PRIMARY KEY,
  signed_out_at bigint NOT NULL
);

CREATE INDEX sign_outs_by_age ON sign_outs (signed_out_at);
