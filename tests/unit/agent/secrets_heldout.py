"""Secrets and look-alikes that masking was not made with: a sample of how real programs spell them.

Written before the rules of masking were read. No rule is added because of a line in here, and none of its lines is
changed because it is missed: `benchmarks/masking.py` tells the figures, and which lines they are only if asked to. The
rules are made with `secrets_planted.py` and `secrets_spelled.py`.
"""

from __future__ import annotations

from tests.unit.agent.secrets_spelled import marked, named_lines

_HELD_OUT = r"""
fastapi settings|class Settings(BaseSettings):\n    database_password: str = "«partridge88»"
celery broker|CELERY_BROKER_URL = "amqp://worker:«ptarmigan_1»@rabbit:5672//"
sentry dsn|sentry_sdk.init(dsn="https://«9b2c3d4e5f60718293a4b5c6d7e8f901»@o1.ingest.example.org/42")
django databases|'default': {'ENGINE': 'x', 'USER': 'app', 'PASSWORD': '«wood.pigeon3»', 'HOST': 'db'}
django email|EMAIL_HOST_PASSWORD = '«mail-osprey»'
starlette session|SessionMiddleware(app, secret_key="«merlin-cookie»")
itsdangerous|s = URLSafeTimedSerializer("«signed-goshawk-2»")
jose|jwt.decode(token, key="«hobby-falcon»", algorithms=["HS256"])
passlib|pwd_context.hash("«barn0wl-pass»")
bcrypt check|bcrypt.checkpw(b"«tawny_owl9»", hashed)
scrypt|hashlib.scrypt(password=b"«little-owl»", salt=b"«snowy-salt»", n=2, r=8, p=1)
pbkdf2|hashlib.pbkdf2_hmac("sha256", b"«eagle-owl-7»", b"x", 1000)
keyring|keyring.set_password("shop", "ann", "«nightingale5»")
getpass mock|monkeypatch.setattr("getpass.getpass", lambda: "«cuckoo-clock»")
pytest env|monkeypatch.setenv("SHOP_API_TOKEN", "«swift-arrow-3»")
test login|client.post("/login", json={"username": "ann", "password": "«martin.house»"})
test client data|client.login(username="ann", password="«skylark22»")
create user|User.objects.create_user("ann", "ann@example.org", "«woodlark_4»")
create user keyword|User(name="ann", raw_password="«pipit-song»")
set password|user.set_password("«dipper%stream»")
aiohttp auth|aiohttp.BasicAuth("ann", password="«wren-nest»")
httpx auth|httpx.get(url, auth=("svc", "«dunnock.1»"))
httpx header|httpx.Client(headers={"Authorization": "Bearer «robin-red-6»"})
headers api key|headers = {"X-API-KEY": "«stonechat_7»", "Accept": "*/*"}
headers token lower|headers["x-auth-token"] = "«whinchat-88»"
params key|params={"api_key": "«wheatear5»", "q": "tea"}
query key|https://api.example.org/v1/weather?appid=«9b2c3d4e5f60718293a4b5c6d7e8f901»&q=x
query sig|https://example.org/f?Expires=1700000000&Signature=«Kq8vLm2Xr7Tz4Wb9Yc1Nd5Pf6Gh3~Jk9»&Key-Pair-Id=K2
presigned|https://s3.example.org/f?X-Amz-Credential=A&X-Amz-Signature=«4c0883a69102937d6231471b5dbb6204fe512961708279f2e2d6a3b1c0f9e8d7»
imap|imap.login("ann", "«blackbird-pie»")
ftp|ftplib.FTP("host", "ann", "«song.thrush»")
ftp url|ftp://ann:«redwing%40x»@files.example.org/a
telnet|tn.write(b"«mistle-t»" + b"\n")  # password
snmp|CommunityData(authKey="«ring_ouzel»")
mqtt|client.username_pw_set("ann", "«blackcap9»")
psycopg keyword|psycopg2.connect(dbname="x", user="y", password="«garden-warbler»")
asyncpg dsn|asyncpg.connect("postgres://app:«whitethroat1»@db:5432/x")
oracle|cx_Oracle.connect("app", "«reed_warbler»", "db/x")
oracle slash|sqlplus app/«sedge0warbler»@db
mssql|mssql+pyodbc://sa:«Yellow!hammer»@db/x?driver=x
snowflake|snowflake.connector.connect(account="x", user="y", password="«reedbunting»")
neo4j|GraphDatabase.driver(uri, auth=("neo4j", "«corn-bunting3»"))
elastic|Elasticsearch(basic_auth=("elastic", "«Lapland=bunting»"))
cassandra|PlainTextAuthProvider(username='a', password='«snowbunt»')
kafka|sasl_plain_password='«greenfinch_0»'
kafka jaas|PlainLoginModule required username="app" password="«bullfinch»";
redis kw|redis.Redis(host="c", password="«hawfinch7»")
minio|Minio("s3", access_key="x", secret_key="«crossbill-2»")
snapshot of locals|pwd = '«twite9»'
snapshot locals two|api_token = '«siskin-token-1»', user = 'ann'
repr nested object|Client(base='x', creds=Credentials(user='a', secret='«serin.4»'))
repr angle|<Config host=db password=«rosefinch»>
attrs repr|Account(id=1, pin_code='«8812»')
simple namespace|namespace(token='«chough-cliff»', n=3)
ordered dict|OrderedDict([('user', 'ann'), ('password', '«jackdaw77»')])
list of pairs|[('host', 'db'), ('password', '«rook.castle»')]
header pairs|[(b'host', b'x'), (b'authorization', b'Bearer «raven-9-quoth»')]
defaultdict|defaultdict(<class 'str'>, {'api_secret': '«carrion»'})
multidict|MultiDict([('csrf_token', '«hooded-crow-5Xq»')])
query dict|<QueryDict: {'username': ['ann'], 'password': ['«magpie_two»']}>
form dict list|{'password': ['«jay-feather»'], 'user': ['ann']}
set cookie session|set-cookie: session=«eyJ1c2VyIjoxfQ.Zm9v.Kq8vLm2Xr7Tz4Wb9Yc1N»; HttpOnly
cookie jwt|Cookie: lang=en; auth_token=«nutcracker-33z»
log json|{"level":"info","msg":"login","password":"«starling_x»"}
log kv|level=info user=ann secret=«oriole.gold» took=3ms
log arrow|password => «waxwing-3»
log is|Using API key «shrike-12-butcher» for ann
exception repr|AuthError("bad credentials", {'password': '«flycatcher1»'})
exception url|ConnectionError: HTTPSConnectionPool(host='x'): /v1?access_token=«treecreeper-9» (timeout)
exception dsn|OperationalError: could not connect: postgresql://a:«nuthatch_h»@db/x
traceback source|    raise LoginError("ann", password="«coaltit»")
subprocess list|subprocess.run(["mysql", "-u", "a", "--password", "«bluetit.5»"])
subprocess joined|["curl", "-H", "Authorization: token «greattit-77a»"]
subprocess env|subprocess.run(cmd, env={"RESTIC_PASSWORD": "«marsh-tit»"})
argv|['prog', '--api-key', '«willowtit_3»', '-v']
argv equals|['prog', '--token=«crestedtit-8»']
shell heredoc|cat <<EOT\npassword=«goldeneye»\nEOT
shell inline|DB_PASS='«shelduck 9»' ./run.sh
shell curl data|curl -d 'user=a&password=«gargan.ey»' https://x
shell export quoted|export OPENAI_API_KEY='«wigeon-key-12»'
fish|set -gx DEPLOY_SECRET «tealteal»
bash array|declare -A cfg=([password]="«shoveller2»")
expect|send "«tufted-d0»\r"  ;# password
zip|zipfile.ZipFile("a.zip").setpassword(b"«scaup-zip»")
gpg|gpg --batch --passphrase «eider-down-1» -d f
ssh keygen|ssh-keygen -N «common.scoter» -f k
keytool|keytool -storepass «velvetsc0ter» -alias x
git config|git config user.password «smewsmew1»
http url log|GET https://ann:«goosand3r»@example.org/ 200
docker compose secret|      - REDIS_PASSWORD: «bitternboom»
helm values|auth:\n  rootPassword: «spoonbill-9»
helm set|helm install --set mysql.password=«ibis.glossy» x
github actions|env:\n  NPM_TOKEN: «crane_flight»
gitlab ci|variables:\n  DEPLOY_TOKEN: "«stork-chimney»"
travis|secure: "«Kq8vLm2Xr7Tz4Wb9Yc1Nd5Pf6Gh3Jk9Xv2Lm7Qr4T=»"
terraform resource|  master_user_password = "«heron.grey7»"
cloudformation|MasterUserPassword: «egretwhite»
pulumi|config.requireSecret("x"); dbPassword: "«purpleheron»"
ansible vault|vault_db_password: "«night-heron»"
puppet|mysql::password => '«squaccoH»',
chef|default['db']['password'] = '«cattle-egret»'
vagrant|config.ssh.password = "«flamingo1»"
dotenv quotes|STRIPE_SECRET="«pelican_bill»"
dotenv export|export SESSION_SECRET=«gannet-dive»
dotenv comment|JWT_SECRET=«shag.black» # rotate
properties spaced|db.password = «cormoran7»
properties colon|api.secret: «fulmarine»
ini section|[smtp]\nuser=a\npass=«petrel-storm»
toml inline|auth = { user = "a", token = "«shearwater-4»" }
toml dotted|database.password = "«albatross_»"
json camel|{"clientSecret": "«skua.great»", "id": 1}
json upper|{"ACCESS_TOKEN":"«kittiwake-0x»"}
json spaced|{ "passphrase" : "«little gull flies»" }
json array|{"passwords": ["«herring»", "«lesser-bb»"]}
json number|{"passcode": «551923»}
yaml quoted|password: '«commongull»'
yaml list|tokens:\n  - «iceland-gull-1»\n  - «glaucous-g-2»
yaml nested|users:\n  ann:\n    password: «caspian_g»
yaml flow|{user: ann, password: «medgull7»}
csharp|private const string Password = "«littletern»";
kotlin|val apiKey = "«arctic-tern-9»"
swift|let accessToken: String = "«roseate_t»"
scala|val dbPassword = "«sandwich-tern»"
c struct|cfg.password = "«blacktern»";
c strcpy|strcpy(password, "«guillemot»");
cpp init|Login login{"ann", "«razorbill!»"};
rust const|const API_SECRET: &str = "«puffin-burrow»";
rust struct|Config { user: "a".into(), password: "«little-auk»".into() }
go struct|Config{User: "a", Password: "«rockdove»"}
go getenv|getEnv("DB_PASSWORD", "«stockdove9»")
lua|local password = "«turtled0ve»"
r|password <- "«collared-d»"
elixir|config :app, password: "«parakeet8»"
clojure|{:user "a" :password "«barn_owl_clj»"}
matlab|password = '«longeared»';
ssh agent pass|SSH_PASSPHRASE=«kestrel hover 3»
bitwarden|BW_SESSION="«Kq8vLm2Xr7Tz4Wb9Yc1Nd5Pf6Gh3Jk9Xv2Lm7Qr4Tz8==»"
seed list|seed_words = ["«legal»", "«winner»", "«thank»", "«year»", "«wave»", "«sausage»"]
seed text|wallet_seed: "«legal winner thank year wave sausage worth useful legal winner thank yellow»"
totp class|pyotp.TOTP("«MFRGGZDFMZTWQ2LK»")
lru key|token_for = lru_cache(maxsize=None)(lambda secret="«sparrowhawk»": secret)
partial|login = partial(connect, password="«osprey-nest»")
timer|Timer(5, login, kwargs={"token": "«red-kite-tail»"})
np object|passwords = np.array(["«marsh-harrier»", "«hen-harrier2»"], dtype=object)
pd records|pd.DataFrame([{"user": "a", "api_key": "«buzzard-7c»"}])
pd printed|   user  password\n0  ann   «goldeneagle1»
sqlite executemany|db.executemany("INSERT INTO u(name, token) VALUES (?, ?)", [("a", "«peregrine-5»")])
django query|SELECT 1 FROM u WHERE token = '«gyrfalcon-9»'
sql set|UPDATE users SET password = '«lanner.f»' WHERE id = 1
sql set passwd|SET PASSWORD FOR 'a' = PASSWORD('«sakerfalcon»')
german variable|datenbank_passwort = "«rotmilan»"
"""

_LOOK_ALIKES = r"""
ulid in url|GET /orders/01HV6Z8Q9W3E5R7T1Y2U4I6O8P 200
ulid key|{"id": "01HQZX3VJ9K5M7N2P4R6S8T0VW"}
ksuid log|trace=1srOrx2ZWZBpBUvZwXKQmoEYga2
xid|job 9m4e2mr0ui3e8a215n4g finished
typeid|user_01h2xcejqtf2nbrexx3vqjhp41
nanoid assign|slug_id = "IRFa-VaY2b_kQ9x"
uuid upper|{123E4567-E89B-12D3-A456-426614174000}
short sha|Merge branch 'main' of 9fceb02 into 1a2b3c4
sha1 list|["da39a3ee5e6b4b0d3255bfef95601890afd80709"]
md5|checksum = "d41d8cd98f00b204e9800998ecf8427e"
crc|crc32=0x1c291ca3
content hash|Content-MD5: Q2hlY2sgSW50ZWdyaXR5IQ==
record hash|numpy/__init__.py,sha256=Wf0Vq3kz8n4Yx1Lm7Tc9Rb5Gd2Hs6Jp0Ka8Ve3Xu1o,15432
yarn lock|resolved "https://registry.example.org/a/-/a-1.0.0.tgz#4b1f4cb0b8a7d2f4b6d8e5a1c3f7e9d0b2a4c6e8"
cargo checksum|checksum = "0f2b5b3c9c3f9f5bdc2f8c4f1f5d2e7a6b9c8d7e0f1a2b3c4d5e6f7a8b9c0d1e"
flake ref|github:NixOS/nixpkgs/3f6c7a2e4b
nix store|/nix/store/s66mzxpvicwk07gjbjfw9izjfa797vsw-hello-2.12.1
ssh ecdsa|ecdsa-sha2-nistp256 AAAAE2VjZHNhLXNoYTItbmlzdHAyNTYAAAAIbmlzdHAyNTYAAABBBK ann@host
known hosts|host.example.org ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ9x2Vb9Lm4Rq8Wz1Yc6Nd3Pf7Ks5Tg0Hj2XaBvCn
public bytes|verify_key = VerifyKey(b'\x8f\x12')
certificate name|tls_cert = "/etc/ssl/certs/shop.pem"
cert pem var|"-----BEGIN CERTIFICATE-----\nMIIDdzCCAl+gAwIBAgIEAgAAuTANBgkqhkiG9w0BAQUFADBaMQswCQYDVQQGEwJJ\n-----END CERTIFICATE-----"
rsa modulus|{"kty":"RSA","n":"0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK7aPFFxuhDR1L6tSoc","e":"AQAB"}
gpg fingerprint|3AA5 C343 71AB 3CCB 0E7E  A2F6 8D1A 9B5C 7E2F 4D60
litecoin|LTC = "ltc1qw508d6qejxtdg4y5r3zarvary0c5xw7kgmn4n9"
eth hash|tx 0x88df016429689c079f3b2f6ad39fa052532c56795b733da78a91ebe6a713944b
solana|program = "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA"
ipfs link|ipfs://QmT5NvUtoM5nWFfrQdVrFtvGfKFmG7AHE8P34isapyhCxX
arn sns|arn:aws:sns:eu-west-1:123456789012:orders-topic
gcp resource|projects/shop-123456/topics/orders
azure resource|/subscriptions/123e4567-e89b-12d3-a456-426614174000/resourceGroups/rg
s3 etag|"9b2c3d4e5f60718293a4b5c6d7e8f901-3"
cloudfront|https://d111111abcdef8.cloudfront.net/logo.png
google analytics|gtag('config', 'G-9XK2LM7QR4')
stripe price|price_1MowQVLkdIwHu7ixeRlqHVzs
paypal order|order 5O190127TN364715T captured
slack channel|channel C024BE91L ts 1503435956.000247
tweet url|https://twitter.example/ann/status/1541815603606036480
doi|10.1038/s41586-020-2649-2
arxiv|arXiv:1706.03762v7
pypi hash url|https://files.example.org/packages/3e/ee/ab12cd/numpy-1.26.4.tar.gz
geohash|u4pruydqqvj
plus code|8FVC9G8F+6X
mac cisco|001a.2b3c.4d5e
udid|serial = "C02XL0GYJGH5"
image tag|registry.example.org/shop/web:2026-01-02-3f2a1c9
helm release|release-name-shop-web-6c5b4d7f88-9kq2x
job id|slurm-48213_17
multipart boundary|--------------------------974767299852498929531610575
base64 json|eyJ1c2VyIjogImFubiJ9
base64 utf|=?UTF-8?B?SGVsbG8gd29ybGQsIGhvdyBhcmUgeW91Pw==?=
gif data|R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7
message id|Message-ID: <CAHk-=wjKq8vLm2Xr7Tz4Wb9Yc1Nd5Pf6Gh3Jk9@mail.example.org>
rna|AUGGCCAUUGUAAUGGGCCGCUGAAAGGGUGCCCGAUAG
amino|MVLSPADKTNVKAAWGKVGAHAGEYGAEALERMFLSFPTTKTYFPHF
inchi key|RYYVLZVUVIJVGH-UHFFFAOYSA-N
camel long|getElementsByClassNameAndAttributeValueRecursively
snake long|test_order_total_is_rounded_to_two_decimal_places_when_fee_is_zero
upper long|MAX_CONNECTIONS_PER_HOST_AND_PROTOCOL
java stack|at com.example.shop.OrderService$$EnhancerBySpringCGLIB$$1a2b3c4d.total(<generated>)
swift mangled|$s4main3FooV3baryS2iF
cmake flag|-DCMAKE_EXPORT_COMPILE_COMMANDS=ON
python flag|-Wno-unused-command-line-argument
so name|libopenblas64_p-r0-0cf96a72.3.23.dev.so
password rules|validators = ["password_too_short", "password_too_common"]
password field|fields = ("username", "password", "email")
password message|{"password": ["This field is required."]}
password url|reset_password_url = "/accounts/reset/"
password widget|password = forms.CharField(widget=forms.PasswordInput)
password function|password = get_password(user)
token call|token = lexer.next_token()
token list|tokens = ["if", "(", "x", ")"]
token class|class Token(NamedTuple):
token index|token_index = 17
secret call|secret = secrets.token_hex(16)
api key call|api_key = settings.API_KEY
key of dict|for key in ("name", "total", "fee"):
keyframe|keyframes = "fade-in"
sqlalchemy key|ForeignKey("users.id")
redis key|redis_key = "cart:42"
public flag|is_secret = False
encryption name|encryption = "aes-256-gcm"
auth backend|AUTHENTICATION_BACKENDS = ["django.contrib.auth.backends.ModelBackend"]
auth method|auth_method = "client_credentials"
credentials path|GOOGLE_APPLICATION_CREDENTIALS=/etc/gcp/key.json
session engine|SESSION_ENGINE = "django.contrib.sessions.backends.db"
pin state|pin_mode = "OUTPUT"
pins|pins = [17, 27, 22]
seed numpy|np.random.seed(42)
seeds|seeds = ["basil", "mint"]
salt pepper|toppings = ["salt", "pepper"]
bearer sentence|The bearer of this ticket may enter.
mnemonic list|mnemonics = ["mov", "add", "jmp"]
otp elixir|otp_app: :shop
license header|SPDX-License-Identifier: MIT
"""

HELD_OUT = marked(_HELD_OUT)
LOOK_ALIKES = named_lines(_LOOK_ALIKES)
