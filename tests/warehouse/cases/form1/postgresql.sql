CREATE FUNCTION public.activity_follows() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
    BEGIN
        IF NEW.number <> (SELECT coalesce(max(number), 0) + 1 FROM activity)
            OR NEW.previous <> coalesce((SELECT hash FROM activity ORDER BY number DESC LIMIT 1), '')
        THEN RAISE EXCEPTION 'activity is append-only: a row must follow the last one'; END IF;
        RETURN NEW;
    END $$;

CREATE FUNCTION public.activity_refuses() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
    BEGIN RAISE EXCEPTION 'activity is append-only: no row may be changed or removed'; END $$;

CREATE TABLE public.account_roles (
    account_id integer NOT NULL,
    role character varying(20) NOT NULL,
    CONSTRAINT role_is_known CHECK (((role)::text = ANY ((ARRAY['surveillance'::character varying, 'audit'::character varying, 'regulator'::character varying, 'admin'::character varying])::text[])))
);

CREATE TABLE public.accounts (
    id integer NOT NULL,
    name character varying(80) NOT NULL,
    full_name character varying(200) NOT NULL,
    password character varying(200),
    disabled boolean NOT NULL,
    created timestamp with time zone NOT NULL
);

CREATE SEQUENCE public.accounts_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;

ALTER SEQUENCE public.accounts_id_seq OWNED BY public.accounts.id;

CREATE TABLE public.activity (
    number integer NOT NULL,
    at timestamp with time zone NOT NULL,
    account character varying(80) NOT NULL,
    address character varying(64) NOT NULL,
    action character varying(60) NOT NULL,
    subject character varying(300) NOT NULL,
    details character varying NOT NULL,
    previous character varying(64) NOT NULL,
    hash character varying(64) NOT NULL
);

CREATE TABLE public.attempts (
    id integer NOT NULL,
    at timestamp with time zone NOT NULL,
    name character varying(80) NOT NULL,
    address character varying(64) NOT NULL
);

CREATE SEQUENCE public.attempts_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;

ALTER SEQUENCE public.attempts_id_seq OWNED BY public.attempts.id;

CREATE TABLE public.camera_drafts (
    id integer NOT NULL,
    table_id character varying(80) NOT NULL,
    camera character varying(80) NOT NULL,
    calibration json NOT NULL,
    author character varying(80) NOT NULL,
    at timestamp with time zone NOT NULL
);

CREATE SEQUENCE public.camera_drafts_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;

ALTER SEQUENCE public.camera_drafts_id_seq OWNED BY public.camera_drafts.id;

CREATE TABLE public.case_items (
    id integer NOT NULL,
    case_id integer NOT NULL,
    kind character varying(10) NOT NULL,
    ref character varying(300) NOT NULL,
    gaming_day date NOT NULL,
    added_by character varying(80) NOT NULL,
    added timestamp with time zone NOT NULL,
    CONSTRAINT kind_is_known CHECK (((kind)::text = ANY ((ARRAY['round'::character varying, 'finding'::character varying])::text[])))
);

CREATE SEQUENCE public.case_items_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;

ALTER SEQUENCE public.case_items_id_seq OWNED BY public.case_items.id;

CREATE TABLE public.case_notes (
    id integer NOT NULL,
    case_id integer NOT NULL,
    author character varying(80) NOT NULL,
    at timestamp with time zone NOT NULL,
    text character varying NOT NULL
);

CREATE SEQUENCE public.case_notes_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;

ALTER SEQUENCE public.case_notes_id_seq OWNED BY public.case_notes.id;

CREATE TABLE public.case_shares (
    id integer NOT NULL,
    case_id integer NOT NULL,
    account_id integer NOT NULL,
    shared_by character varying(80) NOT NULL,
    shared timestamp with time zone NOT NULL,
    revoked timestamp with time zone
);

CREATE SEQUENCE public.case_shares_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;

ALTER SEQUENCE public.case_shares_id_seq OWNED BY public.case_shares.id;

CREATE TABLE public.cases (
    id integer NOT NULL,
    title character varying(200) NOT NULL,
    opened_by character varying(80) NOT NULL,
    opened timestamp with time zone NOT NULL,
    closed timestamp with time zone
);

CREATE SEQUENCE public.cases_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;

ALTER SEQUENCE public.cases_id_seq OWNED BY public.cases.id;

CREATE TABLE public.finding_changes (
    number integer NOT NULL,
    finding_id character varying(64) NOT NULL,
    gaming_day date NOT NULL,
    status character varying(20) NOT NULL,
    note character varying NOT NULL,
    author character varying(80) NOT NULL,
    at timestamp with time zone NOT NULL,
    batch character varying(32) NOT NULL,
    undoes character varying(32),
    CONSTRAINT status_is_known CHECK (((status)::text = ANY ((ARRAY['new'::character varying, 'in review'::character varying, 'escalated'::character varying, 'dismissed'::character varying])::text[])))
);

CREATE SEQUENCE public.finding_changes_number_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;

ALTER SEQUENCE public.finding_changes_number_seq OWNED BY public.finding_changes.number;

CREATE TABLE public.invitations (
    token_hash character varying(64) NOT NULL,
    account_id integer,
    made timestamp with time zone NOT NULL,
    expires timestamp with time zone NOT NULL,
    used timestamp with time zone
);

CREATE TABLE public.meta (
    form integer NOT NULL
);

CREATE SEQUENCE public.meta_form_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;

ALTER SEQUENCE public.meta_form_seq OWNED BY public.meta.form;

CREATE TABLE public.saved_filters (
    id integer NOT NULL,
    account_id integer NOT NULL,
    page character varying(40) NOT NULL,
    name character varying(80) NOT NULL,
    query character varying(2000) NOT NULL
);

CREATE SEQUENCE public.saved_filters_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;

ALTER SEQUENCE public.saved_filters_id_seq OWNED BY public.saved_filters.id;

CREATE TABLE public.sessions (
    id_hash character varying(64) NOT NULL,
    account_id integer NOT NULL,
    csrf character varying(64) NOT NULL,
    began timestamp with time zone NOT NULL,
    last_seen timestamp with time zone NOT NULL,
    address character varying(64) NOT NULL
);

CREATE TABLE public.sign_offs (
    id integer NOT NULL,
    gaming_day date NOT NULL,
    snapshot integer NOT NULL,
    account_id integer NOT NULL,
    at timestamp with time zone NOT NULL,
    note character varying NOT NULL
);

CREATE SEQUENCE public.sign_offs_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;

ALTER SEQUENCE public.sign_offs_id_seq OWNED BY public.sign_offs.id;

ALTER TABLE ONLY public.accounts ALTER COLUMN id SET DEFAULT nextval('public.accounts_id_seq'::regclass);

ALTER TABLE ONLY public.attempts ALTER COLUMN id SET DEFAULT nextval('public.attempts_id_seq'::regclass);

ALTER TABLE ONLY public.camera_drafts ALTER COLUMN id SET DEFAULT nextval('public.camera_drafts_id_seq'::regclass);

ALTER TABLE ONLY public.case_items ALTER COLUMN id SET DEFAULT nextval('public.case_items_id_seq'::regclass);

ALTER TABLE ONLY public.case_notes ALTER COLUMN id SET DEFAULT nextval('public.case_notes_id_seq'::regclass);

ALTER TABLE ONLY public.case_shares ALTER COLUMN id SET DEFAULT nextval('public.case_shares_id_seq'::regclass);

ALTER TABLE ONLY public.cases ALTER COLUMN id SET DEFAULT nextval('public.cases_id_seq'::regclass);

ALTER TABLE ONLY public.finding_changes ALTER COLUMN number SET DEFAULT nextval('public.finding_changes_number_seq'::regclass);

ALTER TABLE ONLY public.meta ALTER COLUMN form SET DEFAULT nextval('public.meta_form_seq'::regclass);

ALTER TABLE ONLY public.saved_filters ALTER COLUMN id SET DEFAULT nextval('public.saved_filters_id_seq'::regclass);

ALTER TABLE ONLY public.sign_offs ALTER COLUMN id SET DEFAULT nextval('public.sign_offs_id_seq'::regclass);

INSERT INTO public.account_roles VALUES (1, 'surveillance');

INSERT INTO public.accounts VALUES (1, 'ann', 'Ann', 'not the hash of any password', false, '2026-01-07 12:00:00+00');

INSERT INTO public.activity VALUES (1, '2026-01-07 12:00:00+00', 'ann', '127.0.0.1', 'open', 'case 1', '{"title": "A late wager"}', '', '07d5c8aa903241f2680fb7d037ca6319cf02f212d5a0ba248e3535ebcc3a7d3f');
INSERT INTO public.activity VALUES (2, '2026-01-07 12:00:00+00', 'ann', '127.0.0.1', 'add to case', 'case 1', '{"round": "P21-04/2026-01-05/17"}', '07d5c8aa903241f2680fb7d037ca6319cf02f212d5a0ba248e3535ebcc3a7d3f', 'abfc78defb8fd834d65ce31b2b0e1c6c87d8e8a9c56618e1dc65f44d064a25f7');
INSERT INTO public.activity VALUES (3, '2026-01-07 12:00:00+00', 'ann', '127.0.0.1', 'add note', 'case 1', '{}', 'abfc78defb8fd834d65ce31b2b0e1c6c87d8e8a9c56618e1dc65f44d064a25f7', 'e174e303e2b6c668d09617b54c2adfa26cd7019d047d4609d48a20577ba92943');

INSERT INTO public.case_items VALUES (1, 1, 'round', 'P21-04/2026-01-05/17', '2026-01-05', 'ann', '2026-01-07 12:00:00+00');

INSERT INTO public.case_notes VALUES (1, 1, 'ann', '2026-01-07 12:00:00+00', 'Called the shift manager.');

INSERT INTO public.cases VALUES (1, 'A late wager', 'ann', '2026-01-07 12:00:00+00', NULL);

INSERT INTO public.meta VALUES (1);

SELECT pg_catalog.setval('public.accounts_id_seq', 1, true);

SELECT pg_catalog.setval('public.attempts_id_seq', 1, false);

SELECT pg_catalog.setval('public.camera_drafts_id_seq', 1, false);

SELECT pg_catalog.setval('public.case_items_id_seq', 1, true);

SELECT pg_catalog.setval('public.case_notes_id_seq', 1, true);

SELECT pg_catalog.setval('public.case_shares_id_seq', 1, false);

SELECT pg_catalog.setval('public.cases_id_seq', 1, true);

SELECT pg_catalog.setval('public.finding_changes_number_seq', 1, false);

SELECT pg_catalog.setval('public.meta_form_seq', 1, false);

SELECT pg_catalog.setval('public.saved_filters_id_seq', 1, false);

SELECT pg_catalog.setval('public.sign_offs_id_seq', 1, false);

ALTER TABLE ONLY public.account_roles
    ADD CONSTRAINT account_roles_pkey PRIMARY KEY (account_id, role);

ALTER TABLE ONLY public.accounts
    ADD CONSTRAINT accounts_name_key UNIQUE (name);

ALTER TABLE ONLY public.accounts
    ADD CONSTRAINT accounts_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.activity
    ADD CONSTRAINT activity_pkey PRIMARY KEY (number);

ALTER TABLE ONLY public.attempts
    ADD CONSTRAINT attempts_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.camera_drafts
    ADD CONSTRAINT camera_drafts_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.case_items
    ADD CONSTRAINT case_items_case_id_kind_ref_key UNIQUE (case_id, kind, ref);

ALTER TABLE ONLY public.case_items
    ADD CONSTRAINT case_items_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.case_notes
    ADD CONSTRAINT case_notes_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.case_shares
    ADD CONSTRAINT case_shares_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.cases
    ADD CONSTRAINT cases_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.finding_changes
    ADD CONSTRAINT finding_changes_pkey PRIMARY KEY (number);

ALTER TABLE ONLY public.invitations
    ADD CONSTRAINT invitations_pkey PRIMARY KEY (token_hash);

ALTER TABLE ONLY public.meta
    ADD CONSTRAINT meta_pkey PRIMARY KEY (form);

ALTER TABLE ONLY public.saved_filters
    ADD CONSTRAINT saved_filters_account_id_page_name_key UNIQUE (account_id, page, name);

ALTER TABLE ONLY public.saved_filters
    ADD CONSTRAINT saved_filters_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.sessions
    ADD CONSTRAINT sessions_pkey PRIMARY KEY (id_hash);

ALTER TABLE ONLY public.sign_offs
    ADD CONSTRAINT sign_offs_gaming_day_snapshot_account_id_key UNIQUE (gaming_day, snapshot, account_id);

ALTER TABLE ONLY public.sign_offs
    ADD CONSTRAINT sign_offs_pkey PRIMARY KEY (id);

CREATE INDEX attempts_by_address ON public.attempts USING btree (address, at);

CREATE INDEX attempts_by_name ON public.attempts USING btree (name, at);

CREATE INDEX camera_drafts_of_camera ON public.camera_drafts USING btree (table_id, camera);

CREATE INDEX finding_changes_of_day ON public.finding_changes USING btree (gaming_day, finding_id);

CREATE INDEX ix_activity_account ON public.activity USING btree (account);

CREATE INDEX ix_activity_at ON public.activity USING btree (at);

CREATE INDEX ix_activity_subject ON public.activity USING btree (subject);

CREATE INDEX ix_case_items_ref ON public.case_items USING btree (ref);

CREATE INDEX ix_case_notes_case_id ON public.case_notes USING btree (case_id);

CREATE INDEX ix_case_shares_account_id ON public.case_shares USING btree (account_id);

CREATE INDEX ix_case_shares_case_id ON public.case_shares USING btree (case_id);

CREATE INDEX ix_finding_changes_batch ON public.finding_changes USING btree (batch);

CREATE INDEX ix_finding_changes_finding_id ON public.finding_changes USING btree (finding_id);

CREATE INDEX ix_sessions_account_id ON public.sessions USING btree (account_id);

CREATE INDEX ix_sign_offs_gaming_day ON public.sign_offs USING btree (gaming_day);

CREATE TRIGGER activity_goes_on BEFORE INSERT ON public.activity FOR EACH ROW EXECUTE FUNCTION public.activity_follows();

CREATE TRIGGER activity_is_never_changed BEFORE DELETE OR UPDATE OR TRUNCATE ON public.activity FOR EACH STATEMENT EXECUTE FUNCTION public.activity_refuses();

ALTER TABLE ONLY public.account_roles
    ADD CONSTRAINT account_roles_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.accounts(id);

ALTER TABLE ONLY public.case_items
    ADD CONSTRAINT case_items_case_id_fkey FOREIGN KEY (case_id) REFERENCES public.cases(id);

ALTER TABLE ONLY public.case_notes
    ADD CONSTRAINT case_notes_case_id_fkey FOREIGN KEY (case_id) REFERENCES public.cases(id);

ALTER TABLE ONLY public.case_shares
    ADD CONSTRAINT case_shares_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.accounts(id);

ALTER TABLE ONLY public.case_shares
    ADD CONSTRAINT case_shares_case_id_fkey FOREIGN KEY (case_id) REFERENCES public.cases(id);

ALTER TABLE ONLY public.invitations
    ADD CONSTRAINT invitations_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.accounts(id);

ALTER TABLE ONLY public.saved_filters
    ADD CONSTRAINT saved_filters_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.accounts(id);

ALTER TABLE ONLY public.sessions
    ADD CONSTRAINT sessions_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.accounts(id);

ALTER TABLE ONLY public.sign_offs
    ADD CONSTRAINT sign_offs_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.accounts(id);
