BEGIN TRANSACTION;
CREATE TABLE account_roles (
	account_id INTEGER NOT NULL, 
	role VARCHAR(20) NOT NULL, 
	PRIMARY KEY (account_id, role), 
	CONSTRAINT role_is_known CHECK (role IN ('surveillance', 'audit', 'regulator', 'admin')), 
	FOREIGN KEY(account_id) REFERENCES accounts (id)
);
INSERT INTO "account_roles" VALUES(1,'surveillance');
CREATE TABLE accounts (
	id INTEGER NOT NULL, 
	name VARCHAR(80) NOT NULL, 
	full_name VARCHAR(200) NOT NULL, 
	password VARCHAR(200), 
	disabled BOOLEAN NOT NULL, 
	created DATETIME NOT NULL, 
	PRIMARY KEY (id), 
	UNIQUE (name)
);
INSERT INTO "accounts" VALUES(1,'ann','Ann','not the hash of any password',0,'2026-01-07 12:00:00.000000');
CREATE TABLE activity (
	number INTEGER NOT NULL, 
	at DATETIME NOT NULL, 
	account VARCHAR(80) NOT NULL, 
	address VARCHAR(64) NOT NULL, 
	action VARCHAR(60) NOT NULL, 
	subject VARCHAR(300) NOT NULL, 
	details VARCHAR NOT NULL, 
	previous VARCHAR(64) NOT NULL, 
	hash VARCHAR(64) NOT NULL, 
	PRIMARY KEY (number)
);
INSERT INTO "activity" VALUES(1,'2026-01-07 12:00:00.000000','ann','127.0.0.1','open','case 1','{"title": "A late wager"}','','07d5c8aa903241f2680fb7d037ca6319cf02f212d5a0ba248e3535ebcc3a7d3f');
INSERT INTO "activity" VALUES(2,'2026-01-07 12:00:00.000000','ann','127.0.0.1','add to case','case 1','{"round": "P21-04/2026-01-05/17"}','07d5c8aa903241f2680fb7d037ca6319cf02f212d5a0ba248e3535ebcc3a7d3f','abfc78defb8fd834d65ce31b2b0e1c6c87d8e8a9c56618e1dc65f44d064a25f7');
INSERT INTO "activity" VALUES(3,'2026-01-07 12:00:00.000000','ann','127.0.0.1','add note','case 1','{}','abfc78defb8fd834d65ce31b2b0e1c6c87d8e8a9c56618e1dc65f44d064a25f7','e174e303e2b6c668d09617b54c2adfa26cd7019d047d4609d48a20577ba92943');
CREATE TABLE attempts (
	id INTEGER NOT NULL, 
	at DATETIME NOT NULL, 
	name VARCHAR(80) NOT NULL, 
	address VARCHAR(64) NOT NULL, 
	PRIMARY KEY (id)
);
CREATE TABLE camera_drafts (
	id INTEGER NOT NULL, 
	table_id VARCHAR(80) NOT NULL, 
	camera VARCHAR(80) NOT NULL, 
	calibration JSON NOT NULL, 
	author VARCHAR(80) NOT NULL, 
	at DATETIME NOT NULL, 
	PRIMARY KEY (id)
);
CREATE TABLE case_items (
	id INTEGER NOT NULL, 
	case_id INTEGER NOT NULL, 
	kind VARCHAR(10) NOT NULL, 
	ref VARCHAR(300) NOT NULL, 
	gaming_day DATE NOT NULL, 
	added_by VARCHAR(80) NOT NULL, 
	added DATETIME NOT NULL, 
	PRIMARY KEY (id), 
	CONSTRAINT kind_is_known CHECK (kind IN ('round', 'finding')), 
	UNIQUE (case_id, kind, ref), 
	FOREIGN KEY(case_id) REFERENCES cases (id)
);
INSERT INTO "case_items" VALUES(1,1,'round','P21-04/2026-01-05/17','2026-01-05','ann','2026-01-07 12:00:00.000000');
CREATE TABLE case_notes (
	id INTEGER NOT NULL, 
	case_id INTEGER NOT NULL, 
	author VARCHAR(80) NOT NULL, 
	at DATETIME NOT NULL, 
	text VARCHAR NOT NULL, 
	PRIMARY KEY (id), 
	FOREIGN KEY(case_id) REFERENCES cases (id)
);
INSERT INTO "case_notes" VALUES(1,1,'ann','2026-01-07 12:00:00.000000','Called the shift manager.');
CREATE TABLE case_shares (
	id INTEGER NOT NULL, 
	case_id INTEGER NOT NULL, 
	account_id INTEGER NOT NULL, 
	shared_by VARCHAR(80) NOT NULL, 
	shared DATETIME NOT NULL, 
	revoked DATETIME, 
	PRIMARY KEY (id), 
	FOREIGN KEY(case_id) REFERENCES cases (id), 
	FOREIGN KEY(account_id) REFERENCES accounts (id)
);
CREATE TABLE cases (
	id INTEGER NOT NULL, 
	title VARCHAR(200) NOT NULL, 
	opened_by VARCHAR(80) NOT NULL, 
	opened DATETIME NOT NULL, 
	closed DATETIME, 
	PRIMARY KEY (id)
);
INSERT INTO "cases" VALUES(1,'A late wager','ann','2026-01-07 12:00:00.000000',NULL);
CREATE TABLE finding_changes (
	number INTEGER NOT NULL, 
	finding_id VARCHAR(64) NOT NULL, 
	gaming_day DATE NOT NULL, 
	status VARCHAR(20) NOT NULL, 
	note VARCHAR NOT NULL, 
	author VARCHAR(80) NOT NULL, 
	at DATETIME NOT NULL, 
	batch VARCHAR(32) NOT NULL, 
	undoes VARCHAR(32), 
	PRIMARY KEY (number), 
	CONSTRAINT status_is_known CHECK (status IN ('new', 'in review', 'escalated', 'dismissed'))
);
CREATE TABLE invitations (
	token_hash VARCHAR(64) NOT NULL, 
	account_id INTEGER, 
	made DATETIME NOT NULL, 
	expires DATETIME NOT NULL, 
	used DATETIME, 
	PRIMARY KEY (token_hash), 
	FOREIGN KEY(account_id) REFERENCES accounts (id)
);
CREATE TABLE meta (
	form INTEGER NOT NULL, 
	PRIMARY KEY (form)
);
INSERT INTO "meta" VALUES(1);
CREATE TABLE saved_filters (
	id INTEGER NOT NULL, 
	account_id INTEGER NOT NULL, 
	page VARCHAR(40) NOT NULL, 
	name VARCHAR(80) NOT NULL, 
	"query" VARCHAR(2000) NOT NULL, 
	PRIMARY KEY (id), 
	UNIQUE (account_id, page, name), 
	FOREIGN KEY(account_id) REFERENCES accounts (id)
);
CREATE TABLE sessions (
	id_hash VARCHAR(64) NOT NULL, 
	account_id INTEGER NOT NULL, 
	csrf VARCHAR(64) NOT NULL, 
	began DATETIME NOT NULL, 
	last_seen DATETIME NOT NULL, 
	address VARCHAR(64) NOT NULL, 
	PRIMARY KEY (id_hash), 
	FOREIGN KEY(account_id) REFERENCES accounts (id)
);
CREATE TABLE sign_offs (
	id INTEGER NOT NULL, 
	gaming_day DATE NOT NULL, 
	snapshot INTEGER NOT NULL, 
	account_id INTEGER NOT NULL, 
	at DATETIME NOT NULL, 
	note VARCHAR NOT NULL, 
	PRIMARY KEY (id), 
	UNIQUE (gaming_day, snapshot, account_id), 
	FOREIGN KEY(account_id) REFERENCES accounts (id)
);
CREATE INDEX attempts_by_address ON attempts (address, at);
CREATE INDEX attempts_by_name ON attempts (name, at);
CREATE INDEX ix_activity_subject ON activity (subject);
CREATE INDEX ix_activity_account ON activity (account);
CREATE INDEX ix_activity_at ON activity (at);
CREATE INDEX ix_finding_changes_finding_id ON finding_changes (finding_id);
CREATE INDEX ix_finding_changes_batch ON finding_changes (batch);
CREATE INDEX finding_changes_of_day ON finding_changes (gaming_day, finding_id);
CREATE INDEX camera_drafts_of_camera ON camera_drafts (table_id, camera);
CREATE INDEX ix_sessions_account_id ON sessions (account_id);
CREATE INDEX ix_case_items_ref ON case_items (ref);
CREATE INDEX ix_case_notes_case_id ON case_notes (case_id);
CREATE INDEX ix_case_shares_case_id ON case_shares (case_id);
CREATE INDEX ix_case_shares_account_id ON case_shares (account_id);
CREATE INDEX ix_sign_offs_gaming_day ON sign_offs (gaming_day);
CREATE TRIGGER activity_is_never_changed BEFORE UPDATE ON activity
    BEGIN SELECT RAISE(ABORT, 'activity is append-only: no row may be changed'); END;
CREATE TRIGGER activity_is_never_removed BEFORE DELETE ON activity
    BEGIN SELECT RAISE(ABORT, 'activity is append-only: no row may be removed'); END;
CREATE TRIGGER activity_goes_on BEFORE INSERT ON activity
    WHEN NEW.number <> (SELECT coalesce(max(number), 0) + 1 FROM activity)
        OR NEW.previous <> coalesce((SELECT hash FROM activity ORDER BY number DESC LIMIT 1), '')
    BEGIN SELECT RAISE(ABORT, 'activity is append-only: a row must follow the last one'); END;
COMMIT;
