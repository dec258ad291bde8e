-- A mirror that commit 409364ed of the program wrote: schema 2, as `sqlite3 mirror.db .dump` prints it.
PRAGMA journal_mode = WAL;
PRAGMA application_id = 1196903762;
PRAGMA user_version = 2;
PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE mirror_meta (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    id BLOB NOT NULL,
    secret BLOB NOT NULL,
    source TEXT NOT NULL,
    pruned INTEGER NOT NULL DEFAULT 0,
    -- The file is a backup, which gets another id when it is opened.
    is_copy INTEGER NOT NULL DEFAULT 0
) STRICT;
INSERT INTO mirror_meta VALUES(1,X'b3cc11391f757edfb6f45ba0b8331e58',X'f428746df7a1b27b140020b5496c91a47267e2b14e7d04ee64cba020e85df69a','0fec8ffff1839df14460e9b22a8aa430',0,0);
CREATE TABLE mirror_shape (
    number INTEGER PRIMARY KEY,
    table_name TEXT NOT NULL,
    columns TEXT NOT NULL
) STRICT;
INSERT INTO mirror_shape VALUES(1,'photo','{"identity":0,"columns":[{"name":"id","path":["id"],"kind":"text","is_personal":false},{"name":"title","path":["title"],"kind":"text","is_personal":true}]}');
INSERT INTO mirror_shape VALUES(2,'album','{"identity":0,"columns":[{"name":"id","path":["id"],"kind":"text","is_personal":false},{"name":"title","path":["title"],"kind":"text","is_personal":false}]}');
INSERT INTO mirror_shape VALUES(3,'photo_album','{"identity":0,"columns":[{"name":"id","path":["id"],"kind":"text","is_personal":false},{"name":"album_id","path":["album_id"],"kind":"text","is_personal":false},{"name":"photo_id","path":["photo_id"],"kind":"text","is_personal":false},{"name":"mark","path":["mark"],"kind":"text","is_personal":false}]}');
CREATE TABLE mirror_scope (
    name TEXT PRIMARY KEY,
    table_name TEXT NOT NULL UNIQUE,
    present INTEGER NOT NULL DEFAULT 0,
    missing INTEGER NOT NULL DEFAULT 0,
    completed_at TEXT
) STRICT;
INSERT INTO mirror_scope VALUES('action=photos/list','photo',3,0,'1970-01-01T00:05:00Z');
INSERT INTO mirror_scope VALUES('action=albums/list','album',2,0,'1970-01-01T00:05:00Z');
INSERT INTO mirror_scope VALUES('recovery/photo_album','photo_album',3,0,'1970-01-01T00:05:00Z');
CREATE TABLE mirror_change (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    at TEXT NOT NULL,
    table_name TEXT NOT NULL,
    record_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    fields TEXT
) STRICT;
INSERT INTO mirror_change VALUES(1,'1970-01-01T00:03:20Z','photo_album','1/a','value_changed','["mark"]');
INSERT INTO mirror_change VALUES(2,'1970-01-01T00:03:20Z','photo_album','1/b','value_changed','["mark"]');
INSERT INTO mirror_change VALUES(3,'1970-01-01T00:05:00Z','photo','d','added',NULL);
INSERT INTO mirror_change VALUES(4,'1970-01-01T00:05:00Z','photo_album','2/d','added',NULL);
INSERT INTO mirror_change VALUES(5,'1970-01-01T00:06:40Z','photo','d','gone',NULL);
INSERT INTO mirror_change VALUES(6,'1970-01-01T00:06:40Z','photo_album','2/d','gone',NULL);
CREATE TABLE mirror_rejected (
    scope TEXT NOT NULL,
    position INTEGER NOT NULL,
    reason TEXT NOT NULL,
    PRIMARY KEY (scope, position)
) STRICT, WITHOUT ROWID;
CREATE TABLE mirror_suppressed (
    table_name TEXT NOT NULL,
    id BLOB NOT NULL,
    at TEXT NOT NULL,
    PRIMARY KEY (table_name, id)
) STRICT, WITHOUT ROWID;
INSERT INTO mirror_suppressed VALUES('photo',X'5e88dbb477d767743650ccba4e30a616','1970-01-01T00:06:40Z');
CREATE TABLE mirror_consumer (
    name TEXT PRIMARY KEY,
    position INTEGER NOT NULL,
    created_at TEXT NOT NULL,
    delivered_at TEXT,
    failures INTEGER NOT NULL,
    failed_at TEXT,
    error TEXT,
    next_attempt_at TEXT,
    disabled_at TEXT
) STRICT, WITHOUT ROWID;
INSERT INTO mirror_consumer VALUES('all',0,'1970-01-01T00:00:00Z',NULL,0,NULL,NULL,NULL,NULL);
CREATE TABLE mirror_note (
    name TEXT PRIMARY KEY,
    text TEXT NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO mirror_note VALUES('followed/photo_album','1');
INSERT INTO mirror_note VALUES('recovered','{"photo_album":{"group":{"column":"album_id","table":"album"},"member":{"column":"photo_id","table":"photo"},"value":"mark"}}');
INSERT INTO mirror_note VALUES('rota/photo_album','{"turn":3,"groups":{"1":{"turn":3,"at":300},"2":{"turn":3,"at":300}},"values":["New","Print","Rejected"]}');
INSERT INTO mirror_note VALUES('texts of album ae22675e908bc056f4464f7ab9b4217a','complete');
INSERT INTO mirror_note VALUES('texts of photo ae22675e908bc056f4464f7ab9b4217a','complete');
INSERT INTO mirror_note VALUES('texts of photo_album 11d1ef05b009d48c3426be1f9d1711fa','complete');
CREATE TABLE mirror_run (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    started_at TEXT NOT NULL,
    ended_at TEXT NOT NULL,
    table_name TEXT NOT NULL,
    outcome TEXT NOT NULL,
    reason TEXT,
    is_baseline INTEGER NOT NULL,
    added INTEGER NOT NULL,
    changed INTEGER NOT NULL,
    unchanged INTEGER NOT NULL,
    returned INTEGER NOT NULL,
    missing INTEGER NOT NULL,
    gone INTEGER NOT NULL,
    rejected INTEGER NOT NULL,
    repeated INTEGER NOT NULL,
    suppressed INTEGER NOT NULL,
    calls INTEGER NOT NULL
) STRICT;
INSERT INTO mirror_run VALUES(1,'1970-01-01T00:01:40Z','1970-01-01T00:01:40Z','photo','complete',NULL,1,3,0,0,0,0,0,0,0,0,1);
INSERT INTO mirror_run VALUES(2,'1970-01-01T00:01:40Z','1970-01-01T00:01:40Z','album','complete',NULL,1,2,0,0,0,0,0,0,0,0,1);
INSERT INTO mirror_run VALUES(3,'1970-01-01T00:01:40Z','1970-01-01T00:01:40Z','photo_album','complete',NULL,1,3,0,0,0,0,0,0,0,0,7);
INSERT INTO mirror_run VALUES(4,'1970-01-01T00:03:20Z','1970-01-01T00:03:20Z','photo','complete',NULL,0,0,0,3,0,0,0,0,0,0,1);
INSERT INTO mirror_run VALUES(5,'1970-01-01T00:03:20Z','1970-01-01T00:03:20Z','album','complete',NULL,0,0,0,2,0,0,0,0,0,0,1);
INSERT INTO mirror_run VALUES(6,'1970-01-01T00:03:20Z','1970-01-01T00:03:20Z','photo_album','complete',NULL,0,0,2,1,0,0,0,0,0,0,7);
INSERT INTO mirror_run VALUES(7,'1970-01-01T00:05:00Z','1970-01-01T00:05:00Z','photo','complete',NULL,0,1,0,3,0,0,0,0,0,0,1);
INSERT INTO mirror_run VALUES(8,'1970-01-01T00:05:00Z','1970-01-01T00:05:00Z','album','complete',NULL,0,0,0,2,0,0,0,0,0,0,1);
INSERT INTO mirror_run VALUES(9,'1970-01-01T00:05:00Z','1970-01-01T00:05:00Z','photo_album','complete',NULL,0,1,0,3,0,0,0,0,0,0,8);
CREATE TABLE mirror_sample (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    at TEXT NOT NULL,
    gauge TEXT NOT NULL,
    amount TEXT NOT NULL,
    unit TEXT
) STRICT;
INSERT INTO mirror_sample VALUES(1,'1970-01-01T00:01:40Z','storage','10.50','GB');
INSERT INTO mirror_sample VALUES(2,'1970-01-01T00:03:20Z','storage','10.50','GB');
INSERT INTO mirror_sample VALUES(3,'1970-01-01T00:05:00Z','storage','10.50','GB');
CREATE TABLE mirror_spell (
    number INTEGER PRIMARY KEY,
    table_name TEXT NOT NULL,
    record_id TEXT NOT NULL,
    group_id TEXT NOT NULL,
    member_id TEXT NOT NULL,
    -- NULL while the value was unknown.
    value TEXT,
    began_at TEXT NOT NULL,
    -- NULL if the placement has the value.
    ended_at TEXT,
    -- 1 if the value may be older: the first recovery found it, or it follows an unknown value.
    began_before INTEGER NOT NULL
) STRICT;
INSERT INTO mirror_spell VALUES(1,'photo_album','1/a','1','a','New','1970-01-01T00:01:40Z','1970-01-01T00:03:20Z',1);
INSERT INTO mirror_spell VALUES(2,'photo_album','1/b','1','b',NULL,'1970-01-01T00:01:40Z','1970-01-01T00:03:20Z',1);
INSERT INTO mirror_spell VALUES(3,'photo_album','2/c','2','c','New','1970-01-01T00:01:40Z',NULL,1);
INSERT INTO mirror_spell VALUES(4,'photo_album','1/a','1','a','Print','1970-01-01T00:03:20Z',NULL,0);
INSERT INTO mirror_spell VALUES(5,'photo_album','1/b','1','b','New','1970-01-01T00:03:20Z',NULL,1);
CREATE TABLE IF NOT EXISTS "photo" (mirror_key INTEGER PRIMARY KEY, "id" TEXT NOT NULL UNIQUE, mirror_hash BLOB, mirror_state TEXT NOT NULL, mirror_misses INTEGER NOT NULL, mirror_shape INTEGER NOT NULL, "title" TEXT, mirror_extra TEXT, mirror_nulls TEXT, mirror_first_seen TEXT NOT NULL, mirror_changed_at TEXT NOT NULL, mirror_missing_since TEXT, mirror_gone_at TEXT) STRICT;
INSERT INTO photo VALUES(1,'a',X'80c1438af42f2b50c725832caeb9ffac3ad7f46ee6dd9328','present',0,1,'a title',NULL,NULL,'1970-01-01T00:01:40Z','1970-01-01T00:01:40Z',NULL,NULL);
INSERT INTO photo VALUES(2,'b',X'8690f1eab5bd024dd3de0137e3c8b5526816edc408c3f2fe','present',0,1,'a title',NULL,NULL,'1970-01-01T00:01:40Z','1970-01-01T00:01:40Z',NULL,NULL);
INSERT INTO photo VALUES(3,'c',X'fc3122675a6aa8fc567cb7745d02eed18fdc5f4b28e1d662','present',0,1,'a title',NULL,NULL,'1970-01-01T00:01:40Z','1970-01-01T00:01:40Z',NULL,NULL);
INSERT INTO photo VALUES(4,'d',NULL,'forgotten',0,1,NULL,NULL,NULL,'1970-01-01T00:05:00Z','1970-01-01T00:05:00Z',NULL,'1970-01-01T00:06:40Z');
CREATE TABLE IF NOT EXISTS "album" (mirror_key INTEGER PRIMARY KEY, "id" TEXT NOT NULL UNIQUE, mirror_hash BLOB, mirror_state TEXT NOT NULL, mirror_misses INTEGER NOT NULL, mirror_shape INTEGER NOT NULL, "title" TEXT, mirror_extra TEXT, mirror_nulls TEXT, mirror_first_seen TEXT NOT NULL, mirror_changed_at TEXT NOT NULL, mirror_missing_since TEXT, mirror_gone_at TEXT) STRICT;
INSERT INTO album VALUES(1,'1',X'3811861f0c23c85fe39d0be639c49ba8387c019615c99c2d','present',0,2,'a title',NULL,NULL,'1970-01-01T00:01:40Z','1970-01-01T00:01:40Z',NULL,NULL);
INSERT INTO album VALUES(2,'2',X'87e3a20a52a0127b4536ee58bc961e0980f867c58c7041f8','present',0,2,'a title',NULL,NULL,'1970-01-01T00:01:40Z','1970-01-01T00:01:40Z',NULL,NULL);
CREATE TABLE IF NOT EXISTS "photo_album" (mirror_key INTEGER PRIMARY KEY, "id" TEXT NOT NULL UNIQUE, mirror_hash BLOB, mirror_state TEXT NOT NULL, mirror_misses INTEGER NOT NULL, mirror_shape INTEGER NOT NULL, "album_id" TEXT, "photo_id" TEXT, "mark" TEXT, mirror_extra TEXT, mirror_nulls TEXT, mirror_first_seen TEXT NOT NULL, mirror_changed_at TEXT NOT NULL, mirror_missing_since TEXT, mirror_gone_at TEXT) STRICT;
INSERT INTO photo_album VALUES(1,'1/a',X'd7269e7b05af5cfa5d645f29f02e6f4c5fa3f19f99d58b3e','present',0,3,'1','a','Print',NULL,NULL,'1970-01-01T00:01:40Z','1970-01-01T00:03:20Z',NULL,NULL);
INSERT INTO photo_album VALUES(2,'1/b',X'2cb89506109ccc5b481789168da95b449e3c4c2e4efd23a1','present',0,3,'1','b','New',NULL,NULL,'1970-01-01T00:01:40Z','1970-01-01T00:03:20Z',NULL,NULL);
INSERT INTO photo_album VALUES(3,'2/c',X'a69cdd75493b350a81ee9517425e8f448234cb8d33a7ad96','present',0,3,'2','c','New',NULL,NULL,'1970-01-01T00:01:40Z','1970-01-01T00:01:40Z',NULL,NULL);
INSERT INTO photo_album VALUES(4,'2/d',NULL,'gone',0,3,'2','d',NULL,NULL,NULL,'1970-01-01T00:05:00Z','1970-01-01T00:05:00Z',NULL,'1970-01-01T00:06:40Z');
DELETE FROM sqlite_sequence;
INSERT INTO sqlite_sequence VALUES('mirror_run',9);
INSERT INTO sqlite_sequence VALUES('mirror_sample',3);
INSERT INTO sqlite_sequence VALUES('mirror_change',6);
CREATE INDEX mirror_sample_gauge ON mirror_sample (gauge, number);
CREATE INDEX mirror_spell_member ON mirror_spell (member_id);
CREATE VIEW "photo_present" AS SELECT "id", "mirror_first_seen", "mirror_changed_at", "title" FROM "photo" WHERE mirror_state = 'present';
CREATE VIEW "album_present" AS SELECT "id", "mirror_first_seen", "mirror_changed_at", "title" FROM "album" WHERE mirror_state = 'present';
CREATE VIEW "photo_album_present" AS SELECT "id", "mirror_first_seen", "mirror_changed_at", "album_id", "photo_id", "mark" FROM "photo_album" WHERE mirror_state = 'present';
CREATE INDEX "mirror_index_photo_album_photo_id" ON "photo_album" ("photo_id");
COMMIT;
