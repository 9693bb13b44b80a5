BEGIN TRANSACTION;
CREATE TABLE makegood_migration (
  outbox     TEXT    NOT NULL COLLATE NOCASE,
  number     INTEGER NOT NULL,
  name       TEXT    NOT NULL,
  applied_at INTEGER NOT NULL DEFAULT (CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER)),
  PRIMARY KEY (outbox, number)
) STRICT, WITHOUT ROWID;
INSERT INTO "makegood_migration" VALUES('makegood_outbox',1,'outbox',1794999523180);
INSERT INTO "makegood_migration" VALUES('makegood_outbox',2,'side_lanes',1794999523193);
INSERT INTO "makegood_migration" VALUES('makegood_outbox',3,'operators',1794999523197);
INSERT INTO "makegood_migration" VALUES('makegood_outbox',4,'status',1794999523212);
INSERT INTO "makegood_migration" VALUES('makegood_outbox',5,'changed_at',1794999523219);
INSERT INTO "makegood_migration" VALUES('makegood_outbox',6,'turn_rows',1794999523228);
INSERT INTO "makegood_migration" VALUES('makegood_outbox',7,'log_mark',1794999523264);
INSERT INTO "makegood_migration" VALUES('makegood_outbox',8,'deletes',1794999523270);
INSERT INTO "makegood_migration" VALUES('makegood_outbox',9,'answered',1794999523287);
INSERT INTO "makegood_migration" VALUES('makegood_outbox',10,'traits',1794999523296);
INSERT INTO "makegood_migration" VALUES('makegood_saga',1,'outbox',1794999523327);
INSERT INTO "makegood_migration" VALUES('makegood_saga',2,'side_lanes',1794999523365);
INSERT INTO "makegood_migration" VALUES('makegood_saga',3,'operators',1794999523387);
INSERT INTO "makegood_migration" VALUES('makegood_saga',4,'status',1794999523397);
INSERT INTO "makegood_migration" VALUES('makegood_saga',5,'changed_at',1794999523403);
INSERT INTO "makegood_migration" VALUES('makegood_saga',6,'turn_rows',1794999523411);
INSERT INTO "makegood_migration" VALUES('makegood_saga',7,'log_mark',1794999523465);
INSERT INTO "makegood_migration" VALUES('makegood_saga',8,'deletes',1794999523476);
INSERT INTO "makegood_migration" VALUES('makegood_saga',9,'answered',1794999523482);
INSERT INTO "makegood_migration" VALUES('makegood_saga',10,'traits',1794999523492);
INSERT INTO "makegood_migration" VALUES('makegood_saga_journal',1,'sagas',1794999523496);
CREATE TABLE "makegood_outbox" (
  sequence     INTEGER PRIMARY KEY AUTOINCREMENT,
  event_id     TEXT    NOT NULL DEFAULT (lower(
                 hex(randomblob(4)) || '-' || hex(randomblob(2)) || '-4' || substr(hex(randomblob(2)), 2) || '-' ||
                 substr('89ab', 1 + (random() & 3), 1) || substr(hex(randomblob(2)), 2) || '-' || hex(randomblob(6)))),
  tenant_id    TEXT    NOT NULL DEFAULT 'default',
  topic        TEXT    NOT NULL,
  dispatch_key TEXT,
  priority     INTEGER NOT NULL DEFAULT 0,
  payload      TEXT,
  body         BLOB,
  content_type TEXT,
  headers      TEXT,
  envelope_id  TEXT,
  traceparent  TEXT,
  tracestate   TEXT,
  created_at   INTEGER NOT NULL DEFAULT (CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER)),
  available_at INTEGER,
  expires_at   INTEGER,
  UNIQUE (tenant_id, event_id),
  CONSTRAINT sequence_is_positive CHECK (sequence > 0),
  CONSTRAINT topic_has_1_to_255_characters CHECK (length(topic) BETWEEN 1 AND 255),
  CONSTRAINT exactly_one_of_payload_and_body CHECK ((payload IS NULL) <> (body IS NULL))
) STRICT;
CREATE TABLE "makegood_outbox_kept" (
  sequence     INTEGER NOT NULL,
  event_id     TEXT    NOT NULL,
  tenant_id    TEXT    NOT NULL,
  topic        TEXT    NOT NULL,
  dispatch_key TEXT,
  priority     INTEGER NOT NULL,
  payload      TEXT,
  body         BLOB,
  content_type TEXT,
  headers      TEXT,
  envelope_id  TEXT,
  traceparent  TEXT,
  tracestate   TEXT,
  created_at   INTEGER NOT NULL,
  available_at INTEGER,
  expires_at   INTEGER,
  PRIMARY KEY (sequence, event_id)
) STRICT;
CREATE TABLE "makegood_outbox_parked" (
  sequence     INTEGER NOT NULL,
  destination  TEXT    NOT NULL,
  event_id     TEXT    NOT NULL,
  tenant_id    TEXT    NOT NULL,
  dispatch_key TEXT    NOT NULL,
  slot         INTEGER NOT NULL,
  state        TEXT    NOT NULL CHECK (state IN ('waiting', 'held', 'dead', 'quarantined', 'done')),
  blocks       INTEGER NOT NULL,
  attempts     INTEGER NOT NULL,
  deaths       INTEGER NOT NULL DEFAULT 0,
  due_at       INTEGER NOT NULL,
  owner        TEXT,
  error_code   TEXT    NOT NULL,
  last_error   TEXT    NOT NULL,
  story        TEXT    NOT NULL,
  parked_at    INTEGER NOT NULL,
  changed_at   INTEGER NOT NULL, answered INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (sequence, destination, event_id)
) STRICT, WITHOUT ROWID;
CREATE TABLE "makegood_outbox_request" (
  id          INTEGER PRIMARY KEY AUTOINCREMENT,
  kind        TEXT    NOT NULL,
  sequence    INTEGER NOT NULL,
  destination TEXT    NOT NULL,
  operator    TEXT    NOT NULL,
  reason      TEXT    NOT NULL,
  created_at  INTEGER NOT NULL,
  done_at     INTEGER,
  result      TEXT
, tenant_id TEXT NOT NULL DEFAULT '', until INTEGER NOT NULL DEFAULT 0, document TEXT NOT NULL DEFAULT '') STRICT;
INSERT INTO "makegood_outbox_request" VALUES(1,'configure',0,'','anonymous','',1794999523668,1794999523676,'done','',0,'{"destinations":[{"name":"http:shop","settings":"{\"url\":\"http://127.0.0.1:44013/\"}","in_flight_max":1024,"rate_max":0.0,"timeout_us":30000000,"retry":{"attempts_max":12,"base_us":500000,"factor":2.0,"jitter":0.3,"cap_us":300000000,"schedule_us":[],"retry_after_max_us":3600000000,"unreachable_for_us":259200000000},"ordering":"block","circuit_failures_max":5,"circuit_wait_min_us":100000,"circuit_wait_max_us":500000}],"removed_destinations":[],"routes":[],"removed_routes":[]}');
CREATE TABLE "makegood_outbox_route" (
  version       INTEGER PRIMARY KEY,
  from_sequence INTEGER NOT NULL,
  at            INTEGER NOT NULL,
  owner         TEXT    NOT NULL,
  document      TEXT    NOT NULL
, is_retired INTEGER NOT NULL DEFAULT 0) STRICT;
INSERT INTO "makegood_outbox_route" VALUES(1,0,1794999523640,'01M7Q4Y69CNXQ88WECH5QGFXHM','{"routes":[],"destinations":[]}',0);
INSERT INTO "makegood_outbox_route" VALUES(2,0,1794999523676,'01M7Q4Y69CNXQ88WECH5QGFXHM','{"routes":[],"destinations":[{"name":"http:shop","settings":"{\"url\":\"http://127.0.0.1:44013/\"}","in_flight_max":1024,"rate_max":0.0,"timeout_us":30000000,"retry":{"attempts_max":12,"base_us":500000,"factor":2.0,"jitter":0.3,"cap_us":300000000,"schedule_us":[],"retry_after_max_us":3600000000,"unreachable_for_us":259200000000},"ordering":"block","circuit_failures_max":5,"circuit_wait_min_us":100000,"circuit_wait_max_us":500000}]}',0);
CREATE TABLE "makegood_outbox_turn" (
  lane        INTEGER NOT NULL,
  turn        INTEGER NOT NULL,
  owner       TEXT    NOT NULL,
  at          INTEGER NOT NULL,
  lease_until INTEGER NOT NULL,
  locked      INTEGER NOT NULL,
  reached     INTEGER NOT NULL,
  settled     INTEGER NOT NULL,
  is_taking   INTEGER NOT NULL DEFAULT 0,
  position    TEXT    NOT NULL, anchor       INTEGER NOT NULL DEFAULT 0, anchor_event TEXT    NOT NULL DEFAULT '', counter      INTEGER NOT NULL DEFAULT 0, cleaned      INTEGER NOT NULL DEFAULT 0, stopped      TEXT    NOT NULL DEFAULT '',
  PRIMARY KEY (lane, turn)
) STRICT;
INSERT INTO "makegood_outbox_turn" VALUES(0,1,'01M7Q4Y69CNXQ88WECH5QGFXHM',1794999523628,1794999525628,1,0,0,1,'{"reached":0,"open":[],"under_way":{}}',0,'',0,0,'');
INSERT INTO "makegood_outbox_turn" VALUES(0,2,'01M7Q4Y69CNXQ88WECH5QGFXHM',1794999523640,1794999525640,1,0,0,0,'{"reached":0,"open":[],"under_way":{},"clock_us":1794999523635265}',0,'',0,0,'');
INSERT INTO "makegood_outbox_turn" VALUES(0,3,'01M7Q4Y69CNXQ88WECH5QGFXHM',1794999523676,1794999525676,1,0,0,0,'{"reached":0,"open":[],"under_way":{},"clock_us":1794999523676079}',0,'',0,0,'');
INSERT INTO "makegood_outbox_turn" VALUES(0,4,'01M7Q4Y69CNXQ88WECH5QGFXHM',1794999524343,1794999526343,1,0,0,0,'{"reached":0,"open":[],"under_way":{},"clock_us":1794999524343226}',0,'',0,0,'');
INSERT INTO "makegood_outbox_turn" VALUES(0,5,'01M7Q4Y69CNXQ88WECH5QGFXHM',1794999525010,1794999527010,1,0,0,0,'{"reached":0,"open":[],"under_way":{},"clock_us":1794999525010320}',0,'',0,0,'');
INSERT INTO "makegood_outbox_turn" VALUES(0,6,'01M7Q4Y69CNXQ88WECH5QGFXHM',1794999525677,1794999527677,1,0,0,0,'{"reached":0,"open":[],"under_way":{},"clock_us":1794999525677437}',0,'',0,0,'');
INSERT INTO "makegood_outbox_turn" VALUES(0,7,'01M7Q4Y69CNXQ88WECH5QGFXHM',1794999526154,1794999526154,0,0,0,0,'{"reached":0,"open":[],"under_way":{},"clock_us":1794999526153722}',0,'',0,0,'');
CREATE TABLE "makegood_saga" (
  sequence     INTEGER PRIMARY KEY AUTOINCREMENT,
  event_id     TEXT    NOT NULL DEFAULT (lower(
                 hex(randomblob(4)) || '-' || hex(randomblob(2)) || '-4' || substr(hex(randomblob(2)), 2) || '-' ||
                 substr('89ab', 1 + (random() & 3), 1) || substr(hex(randomblob(2)), 2) || '-' || hex(randomblob(6)))),
  tenant_id    TEXT    NOT NULL DEFAULT 'default',
  topic        TEXT    NOT NULL,
  dispatch_key TEXT,
  priority     INTEGER NOT NULL DEFAULT 0,
  payload      TEXT,
  body         BLOB,
  content_type TEXT,
  headers      TEXT,
  envelope_id  TEXT,
  traceparent  TEXT,
  tracestate   TEXT,
  created_at   INTEGER NOT NULL DEFAULT (CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER)),
  available_at INTEGER,
  expires_at   INTEGER,
  UNIQUE (tenant_id, event_id),
  CONSTRAINT sequence_is_positive CHECK (sequence > 0),
  CONSTRAINT topic_has_1_to_255_characters CHECK (length(topic) BETWEEN 1 AND 255),
  CONSTRAINT exactly_one_of_payload_and_body CHECK ((payload IS NULL) <> (body IS NULL))
) STRICT;
INSERT INTO "makegood_saga" VALUES(1,'01a1ee4f-1964-7e5d-9a41-ebdf8a88f667','default','makegood.saga.define',NULL,0,'{"name":"well","version":1}',NULL,NULL,NULL,NULL,NULL,NULL,1794999523684,NULL,NULL);
INSERT INTO "makegood_saga" VALUES(2,'01a1ee4f-1971-7249-8ea4-dd461e59437b','default','makegood.saga.define',NULL,0,'{"name":"undone","version":1}',NULL,NULL,NULL,NULL,NULL,NULL,1794999523697,NULL,NULL);
INSERT INTO "makegood_saga" VALUES(3,'01a1ee4f-1979-76c0-8e8e-e19627134ae4','default','makegood.saga.define',NULL,0,'{"name":"waits","version":1}',NULL,NULL,NULL,NULL,NULL,NULL,1794999523705,NULL,NULL);
INSERT INTO "makegood_saga" VALUES(4,'01a1ee4f-1980-7954-92fc-8dfc533952c2','default','makegood.saga.define',NULL,0,'{"name":"retries","version":1}',NULL,NULL,NULL,NULL,NULL,NULL,1794999523712,NULL,NULL);
INSERT INTO "makegood_saga" VALUES(5,'01a1ee4f-1984-77ef-b872-1881692956f8','default','makegood.saga.define',NULL,0,'{"name":"asks","version":1}',NULL,NULL,NULL,NULL,NULL,NULL,1794999523716,NULL,NULL);
INSERT INTO "makegood_saga" VALUES(6,'well','default','well',NULL,0,'{"cents": 100}',NULL,NULL,NULL,NULL,NULL,NULL,1794999523719,NULL,NULL);
INSERT INTO "makegood_saga" VALUES(7,'undone','default','undone',NULL,0,'{"cents": 100}',NULL,NULL,NULL,NULL,NULL,NULL,1794999525746,NULL,NULL);
INSERT INTO "makegood_saga" VALUES(8,'retries','default','retries',NULL,0,'{"cents": 100}',NULL,NULL,NULL,NULL,NULL,NULL,1794999525909,NULL,NULL);
INSERT INTO "makegood_saga" VALUES(9,'waits','default','waits',NULL,0,'{"cents": 100}',NULL,NULL,NULL,NULL,NULL,NULL,1794999525965,NULL,NULL);
INSERT INTO "makegood_saga" VALUES(10,'asks','default','asks',NULL,0,'{"cents": 100}',NULL,NULL,NULL,NULL,NULL,NULL,1794999526022,NULL,NULL);
INSERT INTO "makegood_saga" VALUES(11,'nobody','default','nobody',NULL,0,'{}',NULL,NULL,NULL,NULL,NULL,NULL,1794999526090,NULL,NULL);
CREATE TABLE "makegood_saga_definition" (
  name       TEXT    NOT NULL,
  version    INTEGER NOT NULL,
  document   TEXT    NOT NULL,
  source     TEXT    NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (name, version)
) STRICT;
INSERT INTO "makegood_saga_definition" VALUES('well',1,'{"name":"well","deadline_us":0,"timeout_us":300000000,"give_up_after_us":86400000000,"compensate":"in_reverse","output":"{\"payment\":\"${charge.payment}\"}","steps":[{"group":0,"name":"reserve","action":{"uri":"http:shop/reserve"},"compensation":{"uri":"http:shop/undo-reserve"},"effect":"some","pivot":false,"participant":"late","timeout_us":1000000,"compensation_timeout_us":1000000,"retry":{"attempts_max":6,"base_us":50000,"factor":2.0,"jitter":0.3,"cap_us":200000,"schedule_us":[],"retry_after_max_us":3600000000,"unreachable_for_us":259200000000},"on_failure":[],"outcomes":{}},{"group":1,"name":"charge","action":{"uri":"http:shop/charge"},"compensation":{"uri":"http:shop/undo-charge"},"effect":"some","pivot":false,"participant":"late","timeout_us":1000000,"compensation_timeout_us":1000000,"retry":{"attempts_max":6,"base_us":50000,"factor":2.0,"jitter":0.3,"cap_us":200000,"schedule_us":[],"retry_after_max_us":3600000000,"unreachable_for_us":259200000000},"on_failure":[],"outcomes":{}}]}','{"name":"well","output":{"payment":"${charge.payment}"},"steps":[{"name":"reserve","action":"http:shop/reserve","compensation":"http:shop/undo-reserve","timeout":"1s","compensation_timeout":"1s","retry":{"base":"50ms","cap":"200ms"}},{"name":"charge","action":"http:shop/charge","compensation":"http:shop/undo-charge","timeout":"1s","compensation_timeout":"1s","retry":{"base":"50ms","cap":"200ms"}}]}',1794999523684);
INSERT INTO "makegood_saga_definition" VALUES('undone',1,'{"name":"undone","deadline_us":0,"timeout_us":300000000,"give_up_after_us":86400000000,"compensate":"in_reverse","steps":[{"group":0,"name":"reserve","action":{"uri":"http:shop/reserve"},"compensation":{"uri":"http:shop/undo-reserve"},"effect":"some","pivot":false,"participant":"late","timeout_us":1000000,"compensation_timeout_us":1000000,"retry":{"attempts_max":6,"base_us":50000,"factor":2.0,"jitter":0.3,"cap_us":200000,"schedule_us":[],"retry_after_max_us":3600000000,"unreachable_for_us":259200000000},"on_failure":[],"outcomes":{}},{"group":1,"name":"charge","action":{"uri":"http:shop/charge"},"compensation":{"uri":"http:shop/undo-charge"},"effect":"some","pivot":false,"participant":"late","timeout_us":1000000,"compensation_timeout_us":1000000,"retry":{"attempts_max":1,"base_us":50000,"factor":2.0,"jitter":0.3,"cap_us":300000000,"schedule_us":[],"retry_after_max_us":3600000000,"unreachable_for_us":259200000000},"on_failure":[],"outcomes":{}}]}','{"name":"undone","steps":[{"name":"reserve","action":"http:shop/reserve","compensation":"http:shop/undo-reserve","timeout":"1s","compensation_timeout":"1s","retry":{"base":"50ms","cap":"200ms"}},{"name":"charge","action":"http:shop/charge","compensation":"http:shop/undo-charge","timeout":"1s","compensation_timeout":"1s","retry":{"base":"50ms","attempts_max":1}}]}',1794999523697);
INSERT INTO "makegood_saga_definition" VALUES('waits',1,'{"name":"waits","deadline_us":0,"timeout_us":300000000,"give_up_after_us":86400000000,"compensate":"in_reverse","steps":[{"group":0,"name":"reserve","action":{"uri":"http:shop/reserve"},"compensation":{"uri":"http:shop/undo-reserve"},"effect":"some","pivot":false,"participant":"late","timeout_us":1000000,"compensation_timeout_us":1000000,"retry":{"attempts_max":6,"base_us":50000,"factor":2.0,"jitter":0.3,"cap_us":200000,"schedule_us":[],"retry_after_max_us":3600000000,"unreachable_for_us":259200000000},"on_failure":[],"outcomes":{}},{"group":1,"name":"charge","action":{"uri":"http:shop/charge"},"compensation":{"uri":"http:shop/undo-charge"},"effect":"some","pivot":false,"participant":"late","timeout_us":3600000000,"compensation_timeout_us":1000000,"retry":{"attempts_max":6,"base_us":50000,"factor":2.0,"jitter":0.3,"cap_us":200000,"schedule_us":[],"retry_after_max_us":3600000000,"unreachable_for_us":259200000000},"on_failure":[],"outcomes":{}},{"group":2,"name":"ship","action":{"uri":"http:shop/ship"},"compensation":{"uri":"http:shop/undo-ship"},"effect":"some","pivot":false,"participant":"late","timeout_us":1000000,"compensation_timeout_us":1000000,"retry":{"attempts_max":6,"base_us":50000,"factor":2.0,"jitter":0.3,"cap_us":200000,"schedule_us":[],"retry_after_max_us":3600000000,"unreachable_for_us":259200000000},"on_failure":[],"outcomes":{}}]}','{"name":"waits","steps":[{"name":"reserve","action":"http:shop/reserve","compensation":"http:shop/undo-reserve","timeout":"1s","compensation_timeout":"1s","retry":{"base":"50ms","cap":"200ms"}},{"name":"charge","action":"http:shop/charge","compensation":"http:shop/undo-charge","timeout":"1h","compensation_timeout":"1s","retry":{"base":"50ms","cap":"200ms"}},{"name":"ship","action":"http:shop/ship","compensation":"http:shop/undo-ship","timeout":"1s","compensation_timeout":"1s","retry":{"base":"50ms","cap":"200ms"}}]}',1794999523705);
INSERT INTO "makegood_saga_definition" VALUES('retries',1,'{"name":"retries","deadline_us":0,"timeout_us":300000000,"give_up_after_us":86400000000,"compensate":"in_reverse","steps":[{"group":0,"name":"reserve","action":{"uri":"http:shop/reserve"},"compensation":{"uri":"http:shop/undo-reserve"},"effect":"some","pivot":false,"participant":"late","timeout_us":1000000,"compensation_timeout_us":1000000,"retry":{"attempts_max":6,"base_us":50000,"factor":2.0,"jitter":0.3,"cap_us":200000,"schedule_us":[],"retry_after_max_us":3600000000,"unreachable_for_us":259200000000},"on_failure":[],"outcomes":{}},{"group":1,"name":"charge","action":{"uri":"http:shop/charge"},"compensation":{"uri":"http:shop/undo-charge"},"effect":"some","pivot":false,"participant":"late","timeout_us":1000000,"compensation_timeout_us":1000000,"retry":{"attempts_max":6,"base_us":10000000,"factor":2.0,"jitter":0.3,"cap_us":10000000,"schedule_us":[],"retry_after_max_us":3600000000,"unreachable_for_us":259200000000},"on_failure":[],"outcomes":{}}]}','{"name":"retries","steps":[{"name":"reserve","action":"http:shop/reserve","compensation":"http:shop/undo-reserve","timeout":"1s","compensation_timeout":"1s","retry":{"base":"50ms","cap":"200ms"}},{"name":"charge","action":"http:shop/charge","compensation":"http:shop/undo-charge","timeout":"1s","compensation_timeout":"1s","retry":{"base":"10s","cap":"10s"}}]}',1794999523712);
INSERT INTO "makegood_saga_definition" VALUES('asks',1,'{"name":"asks","deadline_us":0,"timeout_us":300000000,"give_up_after_us":86400000000,"compensate":"in_reverse","steps":[{"group":0,"name":"reserve","action":{"uri":"http:shop/reserve"},"compensation":{"uri":"http:shop/undo-reserve"},"effect":"some","pivot":false,"participant":"late","timeout_us":1000000,"compensation_timeout_us":1000000,"retry":{"attempts_max":6,"base_us":50000,"factor":2.0,"jitter":0.3,"cap_us":200000,"schedule_us":[],"retry_after_max_us":3600000000,"unreachable_for_us":259200000000},"on_failure":[],"outcomes":{}},{"group":1,"name":"charge","action":{"uri":"http:shop/charge"},"compensation":{"uri":"http:shop/undo-charge"},"effect":"some","pivot":false,"participant":"late","timeout_us":1000000,"compensation_timeout_us":1000000,"retry":{"attempts_max":6,"base_us":50000,"factor":2.0,"jitter":0.3,"cap_us":200000,"schedule_us":[],"retry_after_max_us":3600000000,"unreachable_for_us":259200000000},"on_failure":[{"code":"RISK","action":"manual","retries":0,"reason":"needs review"}],"outcomes":{}}]}','{"name":"asks","steps":[{"name":"reserve","action":"http:shop/reserve","compensation":"http:shop/undo-reserve","timeout":"1s","compensation_timeout":"1s","retry":{"base":"50ms","cap":"200ms"}},{"name":"charge","action":"http:shop/charge","compensation":"http:shop/undo-charge","timeout":"1s","compensation_timeout":"1s","retry":{"base":"50ms","cap":"200ms"},"on_failure":{"RISK":{"manual":"needs review"}}}]}',1794999523716);
CREATE TABLE "makegood_saga_end" (
  execution  INTEGER PRIMARY KEY,
  tenant_id  TEXT    NOT NULL,
  id         TEXT    NOT NULL,
  definition TEXT    NOT NULL,
  version    INTEGER NOT NULL,
  state      TEXT    NOT NULL CHECK (state IN ('completed', 'compensated', 'failed', 'cancelled')),
  step       TEXT    NOT NULL,
  code       TEXT    NOT NULL,
  error      TEXT    NOT NULL,
  started_at INTEGER NOT NULL,
  ended_at   INTEGER NOT NULL,
  revision   INTEGER NOT NULL,
  output     TEXT    NOT NULL,
  open       TEXT    NOT NULL
) STRICT;
INSERT INTO "makegood_saga_end" VALUES(6,'default','well','well',1,'completed','','','',1794999523720,1794999525740,4,'{"payment":"p-1"}','');
INSERT INTO "makegood_saga_end" VALUES(7,'default','undone','undone',1,'compensated','charge','HTTP.500','http://127.0.0.1:44013/charge: answered 500 Internal Server Error',1794999525746,1794999525858,5,'','');
INSERT INTO "makegood_saga_end" VALUES(11,'default','nobody','nobody',0,'failed','','SAGA.NO_DEFINITION','There is no definition of this name; apply it, then retry the execution.',1794999526093,1794999526093,1,'','');
CREATE TABLE "makegood_saga_journal" (
  execution INTEGER NOT NULL,
  revision  INTEGER NOT NULL,
  records   BLOB    NOT NULL,
  PRIMARY KEY (execution, revision)
) STRICT;
INSERT INTO "makegood_saga_journal" VALUES(6,1,X'5B7B226B696E64223A22626567756E222C226174223A313739343939393532333732303035362C2276657273696F6E223A317D5D');
INSERT INTO "makegood_saga_journal" VALUES(6,2,X'5B7B226B696E64223A2273746172746564222C226174223A313739343939393532353732313932312C2273746570223A2272657365727665222C22726F756E64223A312C22617474656D7074223A312C22756E74696C223A313739343939393532363732313932317D5D');
INSERT INTO "makegood_saga_journal" VALUES(6,3,X'5B7B226B696E64223A22616E737765726564222C226174223A313739343939393532353732363831352C2273746570223A2272657365727665222C22726F756E64223A312C22617474656D7074223A312C22626F6479223A227B7D227D2C7B226B696E64223A2273746172746564222C226174223A313739343939393532353732363831352C2273746570223A22636861726765222C22726F756E64223A312C22617474656D7074223A312C22756E74696C223A313739343939393532363732363831357D5D');
INSERT INTO "makegood_saga_journal" VALUES(6,4,X'5B7B226B696E64223A22616E737765726564222C226174223A313739343939393532353734303735332C2273746570223A22636861726765222C22726F756E64223A312C22617474656D7074223A312C22626F6479223A227B5C227061796D656E745C223A205C22702D315C227D227D2C7B226B696E64223A22656E646564222C226174223A313739343939393532353734303735332C227374617465223A22636F6D706C65746564222C22626F6479223A227B5C227061796D656E745C223A5C22702D315C227D227D5D');
INSERT INTO "makegood_saga_journal" VALUES(7,1,X'5B7B226B696E64223A22626567756E222C226174223A313739343939393532353734363930332C2276657273696F6E223A317D2C7B226B696E64223A2273746172746564222C226174223A313739343939393532353734363930332C2273746570223A2272657365727665222C22726F756E64223A312C22617474656D7074223A312C22756E74696C223A313739343939393532363734363930337D5D');
INSERT INTO "makegood_saga_journal" VALUES(7,2,X'5B7B226B696E64223A22616E737765726564222C226174223A313739343939393532353830313830352C2273746570223A2272657365727665222C22726F756E64223A312C22617474656D7074223A312C22626F6479223A227B7D227D2C7B226B696E64223A2273746172746564222C226174223A313739343939393532353830313830352C2273746570223A22636861726765222C22726F756E64223A312C22617474656D7074223A312C22756E74696C223A313739343939393532363830313830357D5D');
INSERT INTO "makegood_saga_journal" VALUES(7,3,X'5B7B226B696E64223A22616E737765726564222C226174223A313739343939393532353830333833302C2273746570223A22636861726765222C22726F756E64223A312C22617474656D7074223A312C226F7574636F6D65223A22756E6B6E6F776E222C22756E74696C223A313739343939393532353835333833302C22636F6465223A22485454502E353030222C226572726F72223A22687474703A2F2F3132372E302E302E313A34343031332F6368617267653A20616E7377657265642035303020496E7465726E616C20536572766572204572726F72227D2C7B226B696E64223A227475726E65645F6261636B222C226174223A313739343939393532353830333833302C2273746570223A22636861726765222C22636F6465223A22485454502E353030222C226572726F72223A22687474703A2F2F3132372E302E302E313A34343031332F6368617267653A20616E7377657265642035303020496E7465726E616C20536572766572204572726F72227D2C7B226B696E64223A2273746172746564222C226174223A313739343939393532353830333833302C2273746570223A22636861726765222C22646972656374696F6E223A22636F6D70656E736174696F6E222C22726F756E64223A312C22617474656D7074223A312C22756E74696C223A313739343939393532363830333833302C22626F6479223A227B5C22696E7075745C223A7B5C2263656E74735C223A203130307D2C5C226F75747075745C223A6E756C6C7D227D5D');
INSERT INTO "makegood_saga_journal" VALUES(7,4,X'5B7B226B696E64223A22616E737765726564222C226174223A313739343939393532353835323338332C2273746570223A22636861726765222C22646972656374696F6E223A22636F6D70656E736174696F6E222C22726F756E64223A312C22617474656D7074223A312C22626F6479223A227B7D227D2C7B226B696E64223A2273746172746564222C226174223A313739343939393532353835323338332C2273746570223A2272657365727665222C22646972656374696F6E223A22636F6D70656E736174696F6E222C22726F756E64223A312C22617474656D7074223A312C22756E74696C223A313739343939393532363835323338332C22626F6479223A227B5C22696E7075745C223A7B5C2263656E74735C223A203130307D2C5C226F75747075745C223A7B7D7D227D5D');
INSERT INTO "makegood_saga_journal" VALUES(7,5,X'5B7B226B696E64223A22616E737765726564222C226174223A313739343939393532353835383239342C2273746570223A2272657365727665222C22646972656374696F6E223A22636F6D70656E736174696F6E222C22726F756E64223A312C22617474656D7074223A312C22626F6479223A227B7D227D2C7B226B696E64223A22656E646564222C226174223A313739343939393532353835383239342C227374617465223A22636F6D70656E7361746564227D5D');
INSERT INTO "makegood_saga_journal" VALUES(8,1,X'5B7B226B696E64223A22626567756E222C226174223A313739343939393532353931303634352C2276657273696F6E223A317D2C7B226B696E64223A2273746172746564222C226174223A313739343939393532353931303634352C2273746570223A2272657365727665222C22726F756E64223A312C22617474656D7074223A312C22756E74696C223A313739343939393532363931303634357D5D');
INSERT INTO "makegood_saga_journal" VALUES(8,2,X'5B7B226B696E64223A22616E737765726564222C226174223A313739343939393532353931343639362C2273746570223A2272657365727665222C22726F756E64223A312C22617474656D7074223A312C22626F6479223A227B7D227D2C7B226B696E64223A2273746172746564222C226174223A313739343939393532353931343639362C2273746570223A22636861726765222C22726F756E64223A312C22617474656D7074223A312C22756E74696C223A313739343939393532363931343639367D5D');
INSERT INTO "makegood_saga_journal" VALUES(8,3,X'5B7B226B696E64223A22616E737765726564222C226174223A313739343939393532353931363431372C2273746570223A22636861726765222C22726F756E64223A312C22617474656D7074223A312C226F7574636F6D65223A22756E6B6E6F776E222C22756E74696C223A313739343939393533353931363431372C22636F6465223A22485454502E353030222C226572726F72223A22687474703A2F2F3132372E302E302E313A34343031332F6368617267653A20616E7377657265642035303020496E7465726E616C20536572766572204572726F72227D5D');
INSERT INTO "makegood_saga_journal" VALUES(9,1,X'5B7B226B696E64223A22626567756E222C226174223A313739343939393532353936363733392C2276657273696F6E223A317D2C7B226B696E64223A2273746172746564222C226174223A313739343939393532353936363733392C2273746570223A2272657365727665222C22726F756E64223A312C22617474656D7074223A312C22756E74696C223A313739343939393532363936363733397D5D');
INSERT INTO "makegood_saga_journal" VALUES(9,2,X'5B7B226B696E64223A22616E737765726564222C226174223A313739343939393532353937323839352C2273746570223A2272657365727665222C22726F756E64223A312C22617474656D7074223A312C22626F6479223A227B7D227D2C7B226B696E64223A2273746172746564222C226174223A313739343939393532353937323839352C2273746570223A22636861726765222C22726F756E64223A312C22617474656D7074223A312C22756E74696C223A313739353030333132353937323839357D5D');
INSERT INTO "makegood_saga_journal" VALUES(9,3,X'5B7B226B696E64223A226163636570746564222C226174223A313739343939393532353937343635382C2273746570223A22636861726765222C22726F756E64223A312C22617474656D7074223A317D5D');
INSERT INTO "makegood_saga_journal" VALUES(10,1,X'5B7B226B696E64223A22626567756E222C226174223A313739343939393532363033333738322C2276657273696F6E223A317D2C7B226B696E64223A2273746172746564222C226174223A313739343939393532363033333738322C2273746570223A2272657365727665222C22726F756E64223A312C22617474656D7074223A312C22756E74696C223A313739343939393532373033333738327D5D');
INSERT INTO "makegood_saga_journal" VALUES(10,2,X'5B7B226B696E64223A22616E737765726564222C226174223A313739343939393532363034383039372C2273746570223A2272657365727665222C22726F756E64223A312C22617474656D7074223A312C22626F6479223A227B7D227D2C7B226B696E64223A2273746172746564222C226174223A313739343939393532363034383039372C2273746570223A22636861726765222C22726F756E64223A312C22617474656D7074223A312C22756E74696C223A313739343939393532373034383039377D5D');
INSERT INTO "makegood_saga_journal" VALUES(10,3,X'5B7B226B696E64223A22616E737765726564222C226174223A313739343939393532363034393934332C2273746570223A22636861726765222C22726F756E64223A312C22617474656D7074223A312C226F7574636F6D65223A226661696C222C22756E74696C223A313739343939393532363039393934332C22636F6465223A225249534B222C226572726F72223A22687474703A2F2F3132372E302E302E313A34343031332F6368617267653A20616E7377657265642034323220556E70726F6365737361626C6520436F6E74656E74227D2C7B226B696E64223A22746F5F6D616E75616C222C226174223A313739343939393532363034393934332C2273746570223A22636861726765222C22636F6465223A225249534B222C226572726F72223A22687474703A2F2F3132372E302E302E313A34343031332F6368617267653A20616E7377657265642034323220556E70726F6365737361626C6520436F6E74656E74222C22726561736F6E223A226E6565647320726576696577227D5D');
INSERT INTO "makegood_saga_journal" VALUES(11,1,X'5B7B226B696E64223A22626567756E222C226174223A313739343939393532363039333737397D2C7B226B696E64223A22656E646564222C226174223A313739343939393532363039333737392C22636F6465223A22534147412E4E4F5F444546494E4954494F4E222C226572726F72223A225468657265206973206E6F20646566696E6974696F6E206F662074686973206E616D653B206170706C792069742C207468656E2072657472792074686520657865637574696F6E2E222C227374617465223A226661696C6564227D5D');
CREATE TABLE "makegood_saga_kept" (
  sequence     INTEGER NOT NULL,
  event_id     TEXT    NOT NULL,
  tenant_id    TEXT    NOT NULL,
  topic        TEXT    NOT NULL,
  dispatch_key TEXT,
  priority     INTEGER NOT NULL,
  payload      TEXT,
  body         BLOB,
  content_type TEXT,
  headers      TEXT,
  envelope_id  TEXT,
  traceparent  TEXT,
  tracestate   TEXT,
  created_at   INTEGER NOT NULL,
  available_at INTEGER,
  expires_at   INTEGER,
  PRIMARY KEY (sequence, event_id)
) STRICT;
CREATE TABLE "makegood_saga_parked" (
  sequence     INTEGER NOT NULL,
  destination  TEXT    NOT NULL,
  event_id     TEXT    NOT NULL,
  tenant_id    TEXT    NOT NULL,
  dispatch_key TEXT    NOT NULL,
  slot         INTEGER NOT NULL,
  state        TEXT    NOT NULL CHECK (state IN ('waiting', 'held', 'dead', 'quarantined', 'done')),
  blocks       INTEGER NOT NULL,
  attempts     INTEGER NOT NULL,
  deaths       INTEGER NOT NULL DEFAULT 0,
  due_at       INTEGER NOT NULL,
  owner        TEXT,
  error_code   TEXT    NOT NULL,
  last_error   TEXT    NOT NULL,
  story        TEXT    NOT NULL,
  parked_at    INTEGER NOT NULL,
  changed_at   INTEGER NOT NULL, answered INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (sequence, destination, event_id)
) STRICT, WITHOUT ROWID;
CREATE TABLE "makegood_saga_request" (
  id          INTEGER PRIMARY KEY AUTOINCREMENT,
  kind        TEXT    NOT NULL,
  sequence    INTEGER NOT NULL,
  destination TEXT    NOT NULL,
  operator    TEXT    NOT NULL,
  reason      TEXT    NOT NULL,
  created_at  INTEGER NOT NULL,
  done_at     INTEGER,
  result      TEXT
, tenant_id TEXT NOT NULL DEFAULT '', until INTEGER NOT NULL DEFAULT 0, document TEXT NOT NULL DEFAULT '') STRICT;
CREATE TABLE "makegood_saga_route" (
  version       INTEGER PRIMARY KEY,
  from_sequence INTEGER NOT NULL,
  at            INTEGER NOT NULL,
  owner         TEXT    NOT NULL,
  document      TEXT    NOT NULL
, is_retired INTEGER NOT NULL DEFAULT 0) STRICT;
CREATE TABLE "makegood_saga_secret" (callback_key TEXT NOT NULL) STRICT;
INSERT INTO "makegood_saga_secret" VALUES('b08d94b1b3810b6c4025262ecf1005b46fb9ab88e913d482fb51f3a88e86f72d');
CREATE TABLE "makegood_saga_turn" (
  lane        INTEGER NOT NULL,
  turn        INTEGER NOT NULL,
  owner       TEXT    NOT NULL,
  at          INTEGER NOT NULL,
  lease_until INTEGER NOT NULL,
  locked      INTEGER NOT NULL,
  reached     INTEGER NOT NULL,
  settled     INTEGER NOT NULL,
  is_taking   INTEGER NOT NULL DEFAULT 0,
  position    TEXT    NOT NULL, anchor       INTEGER NOT NULL DEFAULT 0, anchor_event TEXT    NOT NULL DEFAULT '', counter      INTEGER NOT NULL DEFAULT 0, cleaned      INTEGER NOT NULL DEFAULT 0, stopped      TEXT    NOT NULL DEFAULT '',
  PRIMARY KEY (lane, turn)
) STRICT;
INSERT INTO "makegood_saga_turn" VALUES(0,1,'01M7Q4Y69GWHSKQEDAFY1A8J0T',1794999523634,1794999525634,1,0,0,1,'{"reached":0,"open":[],"under_way":{}}',0,'',0,0,'');
INSERT INTO "makegood_saga_turn" VALUES(0,2,'01M7Q4Y69GWHSKQEDAFY1A8J0T',1794999523685,1794999525685,1,1,1,0,'{"reached":1,"open":[],"under_way":{},"clock_us":1794999523685777}',1,'01a1ee4f-1964-7e5d-9a41-ebdf8a88f667',1,0,'');
INSERT INTO "makegood_saga_turn" VALUES(0,3,'01M7Q4Y69GWHSKQEDAFY1A8J0T',1794999523699,1794999525699,1,2,2,0,'{"reached":2,"open":[],"under_way":{},"clock_us":1794999523699816}',2,'01a1ee4f-1971-7249-8ea4-dd461e59437b',2,0,'');
INSERT INTO "makegood_saga_turn" VALUES(0,4,'01M7Q4Y69GWHSKQEDAFY1A8J0T',1794999523707,1794999525707,1,3,3,0,'{"reached":3,"open":[],"under_way":{},"clock_us":1794999523707312}',3,'01a1ee4f-1979-76c0-8e8e-e19627134ae4',3,0,'');
INSERT INTO "makegood_saga_turn" VALUES(0,5,'01M7Q4Y69GWHSKQEDAFY1A8J0T',1794999523714,1794999525714,1,4,4,0,'{"reached":4,"open":[],"under_way":{},"clock_us":1794999523713966}',4,'01a1ee4f-1980-7954-92fc-8dfc533952c2',4,0,'');
INSERT INTO "makegood_saga_turn" VALUES(0,6,'01M7Q4Y69GWHSKQEDAFY1A8J0T',1794999523717,1794999525717,1,5,5,0,'{"reached":5,"open":[],"under_way":{},"clock_us":1794999523717193}',5,'01a1ee4f-1984-77ef-b872-1881692956f8',5,0,'');
INSERT INTO "makegood_saga_turn" VALUES(0,7,'01M7Q4Y69GWHSKQEDAFY1A8J0T',1794999523720,1794999525720,1,6,5,0,'{"reached":6,"open":[],"under_way":{"saga":[6,1]},"clock_us":1794999523720056}',6,'well',6,0,'');
INSERT INTO "makegood_saga_turn" VALUES(0,8,'01M7Q4Y69GWHSKQEDAFY1A8J0T',1794999524386,1794999526386,1,6,5,0,'{"reached":6,"open":[],"under_way":{"saga":[6,1]},"clock_us":1794999524386903}',6,'well',6,0,'');
INSERT INTO "makegood_saga_turn" VALUES(0,9,'01M7Q4Y69GWHSKQEDAFY1A8J0T',1794999525053,1794999527053,1,6,5,0,'{"reached":6,"open":[],"under_way":{"saga":[6,1]},"clock_us":1794999525053714}',6,'well',6,0,'');
INSERT INTO "makegood_saga_turn" VALUES(0,10,'01M7Q4Y69GWHSKQEDAFY1A8J0T',1794999525722,1794999527722,1,6,5,0,'{"reached":6,"open":[],"under_way":{"saga":[6,1]},"clock_us":1794999525721921}',6,'well',6,0,'');
INSERT INTO "makegood_saga_turn" VALUES(0,11,'01M7Q4Y69GWHSKQEDAFY1A8J0T',1794999525726,1794999527726,1,6,5,0,'{"reached":6,"open":[],"under_way":{"saga":[6,1]},"clock_us":1794999525726815}',6,'well',6,0,'');
INSERT INTO "makegood_saga_turn" VALUES(0,12,'01M7Q4Y69GWHSKQEDAFY1A8J0T',1794999525740,1794999527740,1,6,6,0,'{"reached":6,"open":[],"under_way":{},"clock_us":1794999525740753}',6,'well',6,0,'');
INSERT INTO "makegood_saga_turn" VALUES(0,13,'01M7Q4Y69GWHSKQEDAFY1A8J0T',1794999525747,1794999527747,1,7,6,0,'{"reached":7,"open":[],"under_way":{"saga":[7,1]},"clock_us":1794999525746903}',7,'undone',7,0,'');
INSERT INTO "makegood_saga_turn" VALUES(0,14,'01M7Q4Y69GWHSKQEDAFY1A8J0T',1794999525801,1794999527801,1,7,6,0,'{"reached":7,"open":[],"under_way":{"saga":[7,1]},"clock_us":1794999525801805}',7,'undone',7,0,'');
INSERT INTO "makegood_saga_turn" VALUES(0,15,'01M7Q4Y69GWHSKQEDAFY1A8J0T',1794999525803,1794999527803,1,7,6,0,'{"reached":7,"open":[],"under_way":{"saga":[7,1]},"clock_us":1794999525803830}',7,'undone',7,0,'');
INSERT INTO "makegood_saga_turn" VALUES(0,16,'01M7Q4Y69GWHSKQEDAFY1A8J0T',1794999525852,1794999527852,1,7,6,0,'{"reached":7,"open":[],"under_way":{"saga":[7,1]},"clock_us":1794999525852383}',7,'undone',7,0,'');
INSERT INTO "makegood_saga_turn" VALUES(0,17,'01M7Q4Y69GWHSKQEDAFY1A8J0T',1794999525858,1794999527858,1,7,7,0,'{"reached":7,"open":[],"under_way":{},"clock_us":1794999525858294}',7,'undone',7,0,'');
INSERT INTO "makegood_saga_turn" VALUES(0,18,'01M7Q4Y69GWHSKQEDAFY1A8J0T',1794999525910,1794999527910,1,8,7,0,'{"reached":8,"open":[],"under_way":{"saga":[8,1]},"clock_us":1794999525910645}',8,'retries',8,0,'');
INSERT INTO "makegood_saga_turn" VALUES(0,19,'01M7Q4Y69GWHSKQEDAFY1A8J0T',1794999525914,1794999527914,1,8,7,0,'{"reached":8,"open":[],"under_way":{"saga":[8,1]},"clock_us":1794999525914696}',8,'retries',8,0,'');
INSERT INTO "makegood_saga_turn" VALUES(0,20,'01M7Q4Y69GWHSKQEDAFY1A8J0T',1794999525916,1794999527916,1,8,8,0,'{"reached":8,"open":[],"under_way":{},"clock_us":1794999525916417}',8,'retries',8,0,'');
INSERT INTO "makegood_saga_turn" VALUES(0,21,'01M7Q4Y69GWHSKQEDAFY1A8J0T',1794999525966,1794999527966,1,9,8,0,'{"reached":9,"open":[],"under_way":{"saga":[9,1]},"clock_us":1794999525966739}',9,'waits',9,0,'');
INSERT INTO "makegood_saga_turn" VALUES(0,22,'01M7Q4Y69GWHSKQEDAFY1A8J0T',1794999525972,1794999527972,1,9,8,0,'{"reached":9,"open":[],"under_way":{"saga":[9,1]},"clock_us":1794999525972895}',9,'waits',9,0,'');
INSERT INTO "makegood_saga_turn" VALUES(0,23,'01M7Q4Y69GWHSKQEDAFY1A8J0T',1794999525974,1794999527974,1,9,9,0,'{"reached":9,"open":[],"under_way":{},"clock_us":1794999525974658}',9,'waits',9,0,'');
INSERT INTO "makegood_saga_turn" VALUES(0,24,'01M7Q4Y69GWHSKQEDAFY1A8J0T',1794999526033,1794999528033,1,10,9,0,'{"reached":10,"open":[],"under_way":{"saga":[10,1]},"clock_us":1794999526033782}',10,'asks',10,0,'');
INSERT INTO "makegood_saga_turn" VALUES(0,25,'01M7Q4Y69GWHSKQEDAFY1A8J0T',1794999526048,1794999528048,1,10,9,0,'{"reached":10,"open":[],"under_way":{"saga":[10,1]},"clock_us":1794999526048097}',10,'asks',10,0,'');
INSERT INTO "makegood_saga_turn" VALUES(0,26,'01M7Q4Y69GWHSKQEDAFY1A8J0T',1794999526050,1794999528050,1,10,10,0,'{"reached":10,"open":[],"under_way":{},"clock_us":1794999526049943}',10,'asks',10,0,'');
INSERT INTO "makegood_saga_turn" VALUES(0,27,'01M7Q4Y69GWHSKQEDAFY1A8J0T',1794999526093,1794999528093,1,11,11,0,'{"reached":11,"open":[],"under_way":{},"clock_us":1794999526093779}',11,'nobody',11,0,'');
INSERT INTO "makegood_saga_turn" VALUES(0,28,'01M7Q4Y69GWHSKQEDAFY1A8J0T',1794999526152,1794999526152,0,11,11,0,'{"reached":11,"open":[],"under_way":{},"clock_us":1794999526152899}',11,'nobody',11,0,'');
CREATE TABLE "makegood_saga_waiting" (
  execution  INTEGER PRIMARY KEY,
  tenant_id  TEXT    NOT NULL,
  id         TEXT    NOT NULL,
  definition TEXT    NOT NULL,
  version    INTEGER NOT NULL,
  state      TEXT    NOT NULL CHECK (state IN ('pending', 'running', 'waiting', 'paused', 'manual', 'compensating')),
  waits_for  TEXT    NOT NULL,
  step       TEXT    NOT NULL,
  code       TEXT    NOT NULL,
  error      TEXT    NOT NULL,
  started_at INTEGER NOT NULL,
  due_at     INTEGER
) STRICT;
INSERT INTO "makegood_saga_waiting" VALUES(8,'default','retries','retries',1,'waiting','retry','charge','','',1794999525910,1794999535916);
INSERT INTO "makegood_saga_waiting" VALUES(9,'default','waits','waits',1,'waiting','callback','charge','','',1794999525966,1795003125972);
INSERT INTO "makegood_saga_waiting" VALUES(10,'default','asks','asks',1,'manual','','charge','RISK','http://127.0.0.1:44013/charge: answered 422 Unprocessable Content',1794999526033,NULL);
CREATE TABLE makegood_store (
  id          INTEGER PRIMARY KEY CHECK (id = 1),
  incarnation TEXT    NOT NULL,
  inode       INTEGER
) STRICT;
INSERT INTO "makegood_store" VALUES(1,'3e04fc2f583599e76b8d7def33f7960b',10002628);
CREATE TABLE makegood_store_traits (
  id          INTEGER PRIMARY KEY CHECK (id = 1),
  birth       INTEGER,  -- Of the file, in nanoseconds since 1970.
  machine     TEXT,     -- A digest of the machine's id; not from a container.
  environment TEXT      -- The name of where it belongs, store.environment.
) STRICT;
INSERT INTO "makegood_store_traits" VALUES(1,1794999523156009811,NULL,NULL);
CREATE TRIGGER "makegood_outbox_next" BEFORE INSERT ON "makegood_outbox"
WHEN NEW.sequence <> -1
 AND NEW.sequence <> 1 + max(
       coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'makegood_outbox' COLLATE NOCASE), 0),
       coalesce((SELECT max(sequence) FROM "makegood_outbox"), 0))
BEGIN
  SELECT RAISE(ABORT, 'The sequence of makegood_outbox is drawn by the database; leave the column out.');
END;
CREATE TRIGGER "makegood_outbox_immutable" BEFORE UPDATE ON "makegood_outbox"
BEGIN
  SELECT RAISE(ABORT, 'Rows of makegood_outbox are immutable; enqueue another message instead.');
END;
CREATE INDEX "makegood_outbox_request_open" ON "makegood_outbox_request" (id) WHERE done_at IS NULL;
CREATE INDEX "makegood_outbox_request_sequence" ON "makegood_outbox_request" (sequence) WHERE sequence > 0;
CREATE INDEX "makegood_outbox_turn_settled" ON "makegood_outbox_turn" (lane, settled, turn);
CREATE INDEX "makegood_outbox_parked_due" ON "makegood_outbox_parked" (destination, due_at, sequence, tenant_id, state, owner)
WHERE state = 'waiting';
CREATE INDEX "makegood_outbox_parked_blocks" ON "makegood_outbox_parked" (tenant_id, dispatch_key) WHERE blocks = 1;
CREATE INDEX "makegood_outbox_parked_dead"
ON "makegood_outbox_parked" (sequence, destination, tenant_id, error_code, state, changed_at)
WHERE state IN ('dead', 'quarantined');
CREATE INDEX "makegood_outbox_parked_ended" ON "makegood_outbox_parked" (state, changed_at) WHERE state = 'done' OR state = 'dead';
CREATE INDEX "makegood_outbox_parked_count" ON "makegood_outbox_parked" (destination, state, attempts)
WHERE state = 'held' OR (state = 'waiting' AND attempts > 0);
CREATE INDEX "makegood_outbox_kept_event" ON "makegood_outbox_kept" (event_id);
CREATE VIEW "makegood_outbox_status" AS
WITH
  message AS (
    SELECT sequence, event_id, tenant_id, topic, dispatch_key, priority, payload, created_at, available_at
    FROM "makegood_outbox"
    UNION ALL
    SELECT sequence, event_id, tenant_id, topic, dispatch_key, priority, payload, created_at, available_at
    FROM "makegood_outbox_kept"
  ),
  last AS (SELECT at, reached, position FROM "makegood_outbox_turn" WHERE lane = 0 ORDER BY turn DESC LIMIT 1),
  -- A replay of history runs beside the lane that carries the scope, and changes nothing for its messages.
  side AS (
    SELECT lane.key AS number, json_extract(lane.value, '$.destination') AS destination,
           json_extract(lane.value, '$.tenant_id') AS tenant_id,
           json_extract(lane.value, '$.dispatch_key') AS dispatch_key,
           json_extract(lane.value, '$.priority') AS priority,
           json_extract(lane.value, '$.reached') AS reached,
           json_extract(lane.value, '$.under_way') AS under_way,
           (json_extract(lane.value, '$.tenant_id') IS NOT NULL) +
             (json_extract(lane.value, '$.dispatch_key') IS NOT NULL) +
             (json_extract(lane.value, '$.priority') IS NOT NULL) AS depth
    FROM last, json_each(last.position, '$.sides') AS lane
    WHERE json_extract(lane.value, '$.why') <> 'history'
  ),
  -- A star means the same to GLOB as in a pattern; what else GLOB takes for a sign stands for itself.
  route AS (
    SELECT version.version, json_extract(entry.value, '$.destination') AS destination,
           replace(replace(json_extract(entry.value, '$.pattern'), '[', '[[]'), '?', '[?]') AS pattern,
           (SELECT json_extract(target.value, '$.tenant_id') FROM json_each(version.document, '$.destinations') AS target
            WHERE json_extract(target.value, '$.name') = json_extract(entry.value, '$.destination')) AS tenant_id
    FROM "makegood_outbox_route" AS version, json_each(version.document, '$.routes') AS entry
  ),
  -- Numbers are told by the lengths of their runs, those that are left out first; in old turns by pairs of first and last.
  listed (id, is_open, numbers) AS (
    SELECT 'd' || destination.key, false, destination.value
    FROM last, json_each(last.position, '$.under_way') AS destination
    UNION ALL
    SELECT 's' || number, false, under_way FROM side
    UNION ALL
    SELECT 'o', true, json_extract(position, '$.open') FROM last
  ),
  run AS (
    SELECT is_open, entry.key AS place, entry.value AS length, entry.type AS type,
           sum(entry.value) OVER (PARTITION BY listed.id ORDER BY entry.key) AS ends
    FROM listed, json_each(listed.numbers) AS entry
  ),
  hole (is_open, low, high) AS (
    SELECT is_open, ends - length, ends - 1 FROM run WHERE type <> 'array' AND place % 2 = 1
    UNION ALL
    SELECT is_open, json_extract(length, '$[0]'), json_extract(length, '$[1]') FROM run WHERE type = 'array'
  ),
  under_way AS (SELECT low, high FROM hole WHERE NOT is_open),
  open AS (SELECT low, high FROM hole WHERE is_open),
  parked AS (
    SELECT sequence, event_id, max(attempts) AS attempts, max(changed_at) AS changed_at,
           max(CASE WHEN state = 'waiting' THEN due_at END) AS due_at,
           max(CASE WHEN state <> 'done' THEN nullif(last_error, '') END) AS last_error,
           max(state = 'dead') AS is_dead, max(state = 'quarantined') AS is_quarantined,
           max(owner IS NOT NULL) AS is_under_way, max(state IN ('waiting', 'held')) AS is_waiting
    FROM "makegood_outbox_parked" GROUP BY sequence, event_id
  ),
  known AS (
    SELECT message.*, parked.attempts, parked.changed_at, parked.due_at, parked.last_error,
      EXISTS (SELECT 1 FROM under_way WHERE message.sequence BETWEEN low AND high) AS is_in_hole,
      CASE
        WHEN is_dead THEN 'dead'
        WHEN is_quarantined THEN 'quarantined'
        WHEN EXISTS (SELECT 1 FROM under_way WHERE message.sequence BETWEEN low AND high) OR is_under_way THEN 'leased'
        WHEN message.sequence > coalesce((SELECT reached FROM last), 0) THEN 'pending'
        WHEN EXISTS (SELECT 1 FROM open WHERE message.sequence BETWEEN low AND high) OR is_waiting THEN 'pending'
        -- Of the side lanes whose scope holds a delivery, the innermost carries it.
        WHEN EXISTS (
          SELECT 1 FROM side
          WHERE message.sequence > side.reached
            AND (side.tenant_id IS NULL OR side.tenant_id = message.tenant_id)
            AND (side.dispatch_key IS NULL OR side.dispatch_key = message.dispatch_key)
            AND (side.priority IS NULL
                 OR (coalesce(message.dispatch_key, '') = '' AND side.priority = message.priority))
            AND NOT EXISTS (
              SELECT 1 FROM side AS within
              WHERE within.destination = side.destination AND within.depth > side.depth
                AND (within.tenant_id IS NULL OR within.tenant_id = message.tenant_id)
                AND (within.dispatch_key IS NULL OR within.dispatch_key = message.dispatch_key)
                AND (within.priority IS NULL
                     OR (coalesce(message.dispatch_key, '') = '' AND within.priority = message.priority)))
            AND EXISTS (
              SELECT 1 FROM route
              WHERE route.version = (SELECT max(version) FROM "makegood_outbox_route" WHERE from_sequence < message.sequence)
                AND route.destination = side.destination AND message.topic GLOB route.pattern
                AND coalesce(route.tenant_id, message.tenant_id) = message.tenant_id)) THEN 'pending'
        ELSE 'done'
      END AS state
    FROM message LEFT JOIN parked ON parked.sequence = message.sequence AND parked.event_id = message.event_id
  ),
  timed AS (
    SELECT known.*,
      CASE WHEN state = 'done' THEN coalesce(
        changed_at,
        (SELECT at FROM "makegood_outbox_turn" WHERE lane = 0 AND settled >= known.sequence ORDER BY settled, turn LIMIT 1),
        (SELECT at FROM last)) END AS published_ms,
      CASE WHEN state = 'leased' THEN iif(is_in_hole, (SELECT at FROM last), changed_at) END AS locked_ms
    FROM known
  )
SELECT
  event_id AS id, tenant_id, topic, payload, event_id, sequence,
  strftime('%Y-%m-%d %H:%M:%f', created_at / 1000.0, 'unixepoch') AS created_at,
  strftime('%Y-%m-%d %H:%M:%f', published_ms / 1000.0, 'unixepoch') AS published_at,
  coalesce(attempts, state IN ('done', 'leased')) AS attempts,
  strftime('%Y-%m-%d %H:%M:%f', coalesce(due_at, available_at, created_at) / 1000.0, 'unixepoch') AS available_at,
  strftime('%Y-%m-%d %H:%M:%f', locked_ms / 1000.0, 'unixepoch') AS locked_at,
  last_error, state, dispatch_key,
  strftime('%Y-%m-%d %H:%M:%f',
           max(created_at, coalesce(changed_at, 0), coalesce(published_ms, 0), coalesce(locked_ms, 0)) / 1000.0,
           'unixepoch') AS changed_at
FROM timed;
CREATE VIEW "makegood_outbox_status_003" AS
SELECT
  sequence AS id, tenant_id, topic AS event_type, dispatch_key AS aggregate_id, payload,
  CASE WHEN state = 'done' THEN 'SENT' WHEN state IN ('dead', 'quarantined') THEN 'FAILED' ELSE 'PENDING' END AS status,
  max(attempts - 1, 0) AS retry_count,
  available_at AS next_retry_time, created_at AS create_time,
  changed_at AS update_time
FROM "makegood_outbox_status";
CREATE TRIGGER "makegood_outbox_needed" BEFORE DELETE ON "makegood_outbox"
WHEN OLD.sequence > coalesce((SELECT settled FROM "makegood_outbox_turn" WHERE lane = 0 ORDER BY turn DESC LIMIT 1), 0)
  OR OLD.sequence = (SELECT anchor FROM "makegood_outbox_turn" WHERE lane = 0 ORDER BY turn DESC LIMIT 1)
  OR EXISTS (SELECT 1 FROM "makegood_outbox_parked" AS p
             WHERE p.sequence = OLD.sequence AND p.event_id = OLD.event_id AND p.state <> 'done' AND p.error_code <> 'TX.CANCELLED'
               AND NOT EXISTS (SELECT 1 FROM "makegood_outbox_kept" AS k WHERE k.sequence = OLD.sequence AND k.event_id = OLD.event_id))
BEGIN
  SELECT CASE
    WHEN OLD.sequence > coalesce((SELECT settled FROM "makegood_outbox_turn" WHERE lane = 0 ORDER BY turn DESC LIMIT 1), 0)
    THEN RAISE(ABORT, 'A message of makegood_outbox that is still to be delivered cannot be deleted; cancel it with `makegood outbox cancel`.')
    WHEN OLD.sequence = (SELECT anchor FROM "makegood_outbox_turn" WHERE lane = 0 ORDER BY turn DESC LIMIT 1)
    THEN RAISE(ABORT, 'The newest message of makegood_outbox that was read cannot be deleted: by it is seen that the log is still the same.')
    ELSE RAISE(ABORT, 'A message of makegood_outbox that a failed delivery needs cannot be deleted; see `makegood dead list`.')
  END;
END;
CREATE TRIGGER "makegood_saga_next" BEFORE INSERT ON "makegood_saga"
WHEN NEW.sequence <> -1
 AND NEW.sequence <> 1 + max(
       coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'makegood_saga' COLLATE NOCASE), 0),
       coalesce((SELECT max(sequence) FROM "makegood_saga"), 0))
BEGIN
  SELECT RAISE(ABORT, 'The sequence of makegood_saga is drawn by the database; leave the column out.');
END;
CREATE TRIGGER "makegood_saga_immutable" BEFORE UPDATE ON "makegood_saga"
BEGIN
  SELECT RAISE(ABORT, 'Rows of makegood_saga are immutable; enqueue another message instead.');
END;
CREATE INDEX "makegood_saga_request_open" ON "makegood_saga_request" (id) WHERE done_at IS NULL;
CREATE INDEX "makegood_saga_request_sequence" ON "makegood_saga_request" (sequence) WHERE sequence > 0;
CREATE INDEX "makegood_saga_turn_settled" ON "makegood_saga_turn" (lane, settled, turn);
CREATE INDEX "makegood_saga_parked_due" ON "makegood_saga_parked" (destination, due_at, sequence, tenant_id, state, owner)
WHERE state = 'waiting';
CREATE INDEX "makegood_saga_parked_blocks" ON "makegood_saga_parked" (tenant_id, dispatch_key) WHERE blocks = 1;
CREATE INDEX "makegood_saga_parked_dead"
ON "makegood_saga_parked" (sequence, destination, tenant_id, error_code, state, changed_at)
WHERE state IN ('dead', 'quarantined');
CREATE INDEX "makegood_saga_parked_ended" ON "makegood_saga_parked" (state, changed_at) WHERE state = 'done' OR state = 'dead';
CREATE INDEX "makegood_saga_parked_count" ON "makegood_saga_parked" (destination, state, attempts)
WHERE state = 'held' OR (state = 'waiting' AND attempts > 0);
CREATE INDEX "makegood_saga_kept_event" ON "makegood_saga_kept" (event_id);
CREATE VIEW "makegood_saga_status" AS
WITH
  message AS (
    SELECT sequence, event_id, tenant_id, topic, dispatch_key, priority, payload, created_at, available_at
    FROM "makegood_saga"
    UNION ALL
    SELECT sequence, event_id, tenant_id, topic, dispatch_key, priority, payload, created_at, available_at
    FROM "makegood_saga_kept"
  ),
  last AS (SELECT at, reached, position FROM "makegood_saga_turn" WHERE lane = 0 ORDER BY turn DESC LIMIT 1),
  -- A replay of history runs beside the lane that carries the scope, and changes nothing for its messages.
  side AS (
    SELECT lane.key AS number, json_extract(lane.value, '$.destination') AS destination,
           json_extract(lane.value, '$.tenant_id') AS tenant_id,
           json_extract(lane.value, '$.dispatch_key') AS dispatch_key,
           json_extract(lane.value, '$.priority') AS priority,
           json_extract(lane.value, '$.reached') AS reached,
           json_extract(lane.value, '$.under_way') AS under_way,
           (json_extract(lane.value, '$.tenant_id') IS NOT NULL) +
             (json_extract(lane.value, '$.dispatch_key') IS NOT NULL) +
             (json_extract(lane.value, '$.priority') IS NOT NULL) AS depth
    FROM last, json_each(last.position, '$.sides') AS lane
    WHERE json_extract(lane.value, '$.why') <> 'history'
  ),
  -- A star means the same to GLOB as in a pattern; what else GLOB takes for a sign stands for itself.
  route AS (
    SELECT version.version, json_extract(entry.value, '$.destination') AS destination,
           replace(replace(json_extract(entry.value, '$.pattern'), '[', '[[]'), '?', '[?]') AS pattern,
           (SELECT json_extract(target.value, '$.tenant_id') FROM json_each(version.document, '$.destinations') AS target
            WHERE json_extract(target.value, '$.name') = json_extract(entry.value, '$.destination')) AS tenant_id
    FROM "makegood_saga_route" AS version, json_each(version.document, '$.routes') AS entry
  ),
  -- Numbers are told by the lengths of their runs, those that are left out first; in old turns by pairs of first and last.
  listed (id, is_open, numbers) AS (
    SELECT 'd' || destination.key, false, destination.value
    FROM last, json_each(last.position, '$.under_way') AS destination
    UNION ALL
    SELECT 's' || number, false, under_way FROM side
    UNION ALL
    SELECT 'o', true, json_extract(position, '$.open') FROM last
  ),
  run AS (
    SELECT is_open, entry.key AS place, entry.value AS length, entry.type AS type,
           sum(entry.value) OVER (PARTITION BY listed.id ORDER BY entry.key) AS ends
    FROM listed, json_each(listed.numbers) AS entry
  ),
  hole (is_open, low, high) AS (
    SELECT is_open, ends - length, ends - 1 FROM run WHERE type <> 'array' AND place % 2 = 1
    UNION ALL
    SELECT is_open, json_extract(length, '$[0]'), json_extract(length, '$[1]') FROM run WHERE type = 'array'
  ),
  under_way AS (SELECT low, high FROM hole WHERE NOT is_open),
  open AS (SELECT low, high FROM hole WHERE is_open),
  parked AS (
    SELECT sequence, event_id, max(attempts) AS attempts, max(changed_at) AS changed_at,
           max(CASE WHEN state = 'waiting' THEN due_at END) AS due_at,
           max(CASE WHEN state <> 'done' THEN nullif(last_error, '') END) AS last_error,
           max(state = 'dead') AS is_dead, max(state = 'quarantined') AS is_quarantined,
           max(owner IS NOT NULL) AS is_under_way, max(state IN ('waiting', 'held')) AS is_waiting
    FROM "makegood_saga_parked" GROUP BY sequence, event_id
  ),
  known AS (
    SELECT message.*, parked.attempts, parked.changed_at, parked.due_at, parked.last_error,
      EXISTS (SELECT 1 FROM under_way WHERE message.sequence BETWEEN low AND high) AS is_in_hole,
      CASE
        WHEN is_dead THEN 'dead'
        WHEN is_quarantined THEN 'quarantined'
        WHEN EXISTS (SELECT 1 FROM under_way WHERE message.sequence BETWEEN low AND high) OR is_under_way THEN 'leased'
        WHEN message.sequence > coalesce((SELECT reached FROM last), 0) THEN 'pending'
        WHEN EXISTS (SELECT 1 FROM open WHERE message.sequence BETWEEN low AND high) OR is_waiting THEN 'pending'
        -- Of the side lanes whose scope holds a delivery, the innermost carries it.
        WHEN EXISTS (
          SELECT 1 FROM side
          WHERE message.sequence > side.reached
            AND (side.tenant_id IS NULL OR side.tenant_id = message.tenant_id)
            AND (side.dispatch_key IS NULL OR side.dispatch_key = message.dispatch_key)
            AND (side.priority IS NULL
                 OR (coalesce(message.dispatch_key, '') = '' AND side.priority = message.priority))
            AND NOT EXISTS (
              SELECT 1 FROM side AS within
              WHERE within.destination = side.destination AND within.depth > side.depth
                AND (within.tenant_id IS NULL OR within.tenant_id = message.tenant_id)
                AND (within.dispatch_key IS NULL OR within.dispatch_key = message.dispatch_key)
                AND (within.priority IS NULL
                     OR (coalesce(message.dispatch_key, '') = '' AND within.priority = message.priority)))
            AND EXISTS (
              SELECT 1 FROM route
              WHERE route.version = (SELECT max(version) FROM "makegood_saga_route" WHERE from_sequence < message.sequence)
                AND route.destination = side.destination AND message.topic GLOB route.pattern
                AND coalesce(route.tenant_id, message.tenant_id) = message.tenant_id)) THEN 'pending'
        ELSE 'done'
      END AS state
    FROM message LEFT JOIN parked ON parked.sequence = message.sequence AND parked.event_id = message.event_id
  ),
  timed AS (
    SELECT known.*,
      CASE WHEN state = 'done' THEN coalesce(
        changed_at,
        (SELECT at FROM "makegood_saga_turn" WHERE lane = 0 AND settled >= known.sequence ORDER BY settled, turn LIMIT 1),
        (SELECT at FROM last)) END AS published_ms,
      CASE WHEN state = 'leased' THEN iif(is_in_hole, (SELECT at FROM last), changed_at) END AS locked_ms
    FROM known
  )
SELECT
  event_id AS id, tenant_id, topic, payload, event_id, sequence,
  strftime('%Y-%m-%d %H:%M:%f', created_at / 1000.0, 'unixepoch') AS created_at,
  strftime('%Y-%m-%d %H:%M:%f', published_ms / 1000.0, 'unixepoch') AS published_at,
  coalesce(attempts, state IN ('done', 'leased')) AS attempts,
  strftime('%Y-%m-%d %H:%M:%f', coalesce(due_at, available_at, created_at) / 1000.0, 'unixepoch') AS available_at,
  strftime('%Y-%m-%d %H:%M:%f', locked_ms / 1000.0, 'unixepoch') AS locked_at,
  last_error, state, dispatch_key,
  strftime('%Y-%m-%d %H:%M:%f',
           max(created_at, coalesce(changed_at, 0), coalesce(published_ms, 0), coalesce(locked_ms, 0)) / 1000.0,
           'unixepoch') AS changed_at
FROM timed;
CREATE VIEW "makegood_saga_status_003" AS
SELECT
  sequence AS id, tenant_id, topic AS event_type, dispatch_key AS aggregate_id, payload,
  CASE WHEN state = 'done' THEN 'SENT' WHEN state IN ('dead', 'quarantined') THEN 'FAILED' ELSE 'PENDING' END AS status,
  max(attempts - 1, 0) AS retry_count,
  available_at AS next_retry_time, created_at AS create_time,
  changed_at AS update_time
FROM "makegood_saga_status";
CREATE TRIGGER "makegood_saga_needed" BEFORE DELETE ON "makegood_saga"
WHEN OLD.sequence > coalesce((SELECT settled FROM "makegood_saga_turn" WHERE lane = 0 ORDER BY turn DESC LIMIT 1), 0)
  OR OLD.sequence = (SELECT anchor FROM "makegood_saga_turn" WHERE lane = 0 ORDER BY turn DESC LIMIT 1)
  OR EXISTS (SELECT 1 FROM "makegood_saga_parked" AS p
             WHERE p.sequence = OLD.sequence AND p.event_id = OLD.event_id AND p.state <> 'done' AND p.error_code <> 'TX.CANCELLED'
               AND NOT EXISTS (SELECT 1 FROM "makegood_saga_kept" AS k WHERE k.sequence = OLD.sequence AND k.event_id = OLD.event_id))
BEGIN
  SELECT CASE
    WHEN OLD.sequence > coalesce((SELECT settled FROM "makegood_saga_turn" WHERE lane = 0 ORDER BY turn DESC LIMIT 1), 0)
    THEN RAISE(ABORT, 'A message of makegood_saga that is still to be delivered cannot be deleted; cancel it with `makegood outbox cancel`.')
    WHEN OLD.sequence = (SELECT anchor FROM "makegood_saga_turn" WHERE lane = 0 ORDER BY turn DESC LIMIT 1)
    THEN RAISE(ABORT, 'The newest message of makegood_saga that was read cannot be deleted: by it is seen that the log is still the same.')
    ELSE RAISE(ABORT, 'A message of makegood_saga that a failed delivery needs cannot be deleted; see `makegood dead list`.')
  END;
END;
CREATE INDEX "makegood_saga_end_state" ON "makegood_saga_end" (state, execution, definition) WHERE state <> 'completed';
CREATE INDEX "makegood_saga_waiting_due" ON "makegood_saga_waiting" (due_at) WHERE due_at IS NOT NULL;
CREATE TRIGGER "makegood_saga_waits" BEFORE DELETE ON "makegood_saga"
WHEN EXISTS (SELECT 1 FROM "makegood_saga_waiting" WHERE execution = OLD.sequence)
BEGIN
  SELECT RAISE(ABORT, 'A start in makegood_saga whose execution waits cannot be deleted; cancel the execution.');
END;
DELETE FROM "sqlite_sequence";
INSERT INTO "sqlite_sequence" VALUES('makegood_outbox_request',1);
INSERT INTO "sqlite_sequence" VALUES('makegood_saga',11);
COMMIT;
