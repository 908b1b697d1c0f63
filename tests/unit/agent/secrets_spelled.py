"""Secrets and look-alikes in the spellings of real programs' source, settings, logs and values.

In a corpus, `«` and `»` stand around a secret, `\\n` for the end of a line, and `·` for nothing: it keeps the made-up
keys from looking real to a scanner of repositories.
"""

from __future__ import annotations

import re

from tests.unit.agent.secrets_planted import Planted

_SPELLED = r"""
django settings|SECRET_KEY = 'django-insecure-«k3$w!0z#pq_v8m1^tz4&ab(7yx2s@d9f6»'
flask secret|app.secret_key = b'«_5#y2L"F4Q8z»'
flask config|app.config['SECRET_KEY'] = '«tangerine-boat-41»'
flask config update|app.config.update(SECRET_KEY="«marmalade sky 77»", DEBUG=True)
rails secrets|secret_key_base: «4f1c9ad2e0b7734b6cc8»
spring properties|spring.datasource.password=«Wq8!zebra»
spring yaml|spring:\n  datasource:\n    username: app\n    password: «Kolibri_2024»
jasypt|jasypt.encryptor.password=«grapefruit9»
wordpress|define( 'DB_PASSWORD', '«n0tT0day-wp»' );
wordpress salt|define('NONCE_SALT', '«Xv|7d}+p9Lk2@!m-qe;R8»');
laravel app key|APP_KEY=base64:«Zm9vYmFyYmF6cXV4MTIzNDU2Nzg5MGFiY2RlZmdoaWo=»
compose env map|environment:\n  MYSQL_ROOT_PASSWORD: «sunfl0wer!»
compose env list|environment:\n  - POSTGRES_PASSWORD=«pg_Elephant_5»
k8s env name value|- name: DB_PASSWORD\n  value: "«kube-harbour-3»"
k8s env json|{"name": "SMTP_PASSWORD", "value": "«letterbox11»"}
k8s secret data|kind: Secret\ndata:\n  password: «c3VwZXItaGFyYm91cg==»
terraform tfvars|db_admin_password = "«T3rr4f0rm-lake»"
terraform variable|variable "master_password" {\n  default = "«planet-forty»"\n}
ansible vars|ansible_become_pass: «sudo-Raven7»
npmrc|//registry.example.org/:_authToken=«npm_zebraTokenValue0123»
npmrc auth|_auth=«dXNlcjpib3R0bGVjYXA=»
pypirc|[pypi]\nusername = __token__\npassword = «pypi·-AgEIcHlwaS5vcmcCJDk1ZTY3»
netrc|machine example.org login deploy password «Gr1ndstone!»
netrc lines|machine example.org\n  login deploy\n  password «milkyway-8»
pgpass|db.example.org:5432:shop:app:«s3a-horse»
pgpass wildcard|*:*:*:postgres:«Opal.1987»
git credentials|https://deploy:«gloaming42»@git.example.org
git remote|url = https://oauth2:«glpat·-9xKq2Lm7Vb3Nz8Rt5Wyc»@gitlab.example.org/a/b.git
pip index url|index-url = https://build:«0rchard_kite»@pypi.example.org/simple
aws credentials|aws_secret_access_key = «wJalr7UtnFEMI·K7MDENGbPxRfiCYZ8QdLw2sTv»
aws session|AWS_SESSION_TOKEN=«FwoGZXIvYXdzEBYaDK7mQ2rVexample9zLtB3Nq0Wf»
azure storage|DefaultEndpointsProtocol=https;AccountName=shop;AccountKey=«q2V5TmFtZUV4YW1wbGVLZXlGb3JUZXN0aW5nMTIzNDU2Nzg5MA==»;EndpointSuffix=core.windows.net
azure sas|https://shop.blob.core.windows.net/c/f?sv=2022-11-02&sr=b&sig=«Zk3%2Bv9QhT0uW1xY2aB4cD5eF6gH7iJ8kL9mN0oP%3D»&se=2026-01-01
gcp service account|{"type": "service_account", "private_key_id": "a1", "private_key": "«-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkq\n-----END PRIVATE KEY-----\n»"}
slack webhook|https://hooks.slack.com/services/T0·0000AB1/B0·0000CD2/«x9Yk2Qw7Lm4Rt8Vb1Nz5Pc3S»
slack bot|SLACK = "«xoxb·-2041589321-3927450182-kQ8vLm2Xr7Tz4Wb9Yc1Nd5Pf»"
discord bot|bot.run("«MTA4·NzY1NDMyMTA5ODc2NTQzMg.GhT7kQ.x2Vb9Lm4Rq8Wz1Yc6Nd3Pf7Ks5Tg0Hj2Xa»")
discord webhook|https://discord.com/api/webhooks/1087654321098765432/«Qk8vLm2Xr7Tz4Wb9Yc1Nd5PfQk8vLm2Xr7Tz4Wb9Yc1Nd5PfAbCdEf0123456»
telegram bot|https://api.telegram.org/bot«7103482915:AAH·kQ8vLm2Xr7Tz4Wb9Yc1Nd5Pf6Gh3J»/getMe
stripe|stripe.api_key = "«sk_live·_51Kq8vLm2Xr7Tz4Wb9Yc1Nd5»"
stripe webhook|endpoint_secret = '«whsec·_9xKq2Lm7Vb3Nz8Rt5Wyc1Df4»'
twilio|client = Client("AC0·123456789abcdef0123456789abcdef", "«9f8e7d6c5b4a39281706f5e4d3c2b1a0»")
sendgrid|SG = "«SG·.kQ8vLm2Xr7Tz4Wb9Yc1Nd5.Pf6Gh3Jk9Xv2Lm7Qr4Tz8Wb1Yc5Nd0Pf3Gh6Jk9Xv»"
mailgun|auth=("api", "«key-·3ax6xnjp29jd6fds4gc373sgvjxteol0»")
openai project|openai.api_key = "«sk-proj·-kQ8vLm2Xr7Tz4Wb9Yc1Nd5Pf6Gh3Jk9Xv2Lm7Q»"
google api key|https://maps.example.org/api/js?key=«AIza·SyB7kQ8vLm2Xr7Tz4Wb9Yc1Nd5Pf6Gh3J»
hugging face|login(token="«hf_·kQ8vLmXrTzWbYcNdPfGhJkXvLmQrTzWbYc»")
digitalocean|"«dop_v1·_3f8a1c9d7e2b6f4a0c5d8e1b9f7a2c6d4e0b8f3a1c9d7e2b6f4a0c5d8e1b9f7a»"
vault token|VAULT_TOKEN=«hvs·.CAESIKq8vLm2Xr7Tz4Wb9Yc1Nd5Pf»
age key|«AGE-SECRET-KEY-·1QK8VLM2XR7TZ4WB9YC0ND5PF6GH3JK9XV2LM7QR4TZ8WB0YC5ND0PF3GH6»
fernet|cipher = Fernet(b"«q3Vb9Lm4Rq8Wz1Yc6Nd3Pf7Ks5Tg0Hj2XaBvCnMk1Zs=»")
wireguard|[Interface]\nPrivateKey = «yAnz5TF+lXXJte14tji3zlMNq+hd2rYUIgJBgB3fBmk=»
wifi|network={\n  ssid="home"\n  psk="«blue-teapot-19»"\n}
curl basic|curl -u deploy:«Velvet_77» https://example.org/
curl header|curl -H "X-Api-Key: «kestrel-1190-blue»" https://example.org/
mysql option|mysql -u root -p«Rootbeer!9» shop
mysqldump long|mysqldump --password=«acorn.Nine» shop
pgpassword|PGPASSWORD=«walrus55» psql -h db
sshpass|sshpass -p «Trellis_4» ssh host
redis cli|redis-cli -h cache -a «candle-wick» ping
openssl pass|openssl rsa -in k.pem -passin pass:«oystercatcher»
basic header|Authorization: Basic «ZGVwbG95OlZlbHZldF83Nw==»
bearer header|Authorization: Bearer «abc-violet-778»
token header|Authorization: Token «9944b09199c62bcf9418ad846dd0e4bb»
proxy header|Proxy-Authorization: Basic «cHJveHk6c2VjcmV0OTk=»
cookie|Cookie: sessionid=«3v7kq9x2mz8wb1yc»; theme=dark
set cookie|Set-Cookie: connect.sid=s%3A«Kq8vLm2Xr7Tz4Wb9Yc1Nd5Pf6Gh3»; Path=/; HttpOnly
csrf form|csrfmiddlewaretoken=«Kq8vLm2Xr7Tz4Wb9Yc1Nd5Pf6Gh3Jk9X»&name=x
oauth form|grant_type=password&username=ann&password=«plum-harbour»
oauth code|{"refresh_token": "«1//0gKq8vLm2Xr7Tz4Wb9»", "expires_in": 3599}
oauth client|client_secret=«GOCSPX·-Kq8vLm2Xr7Tz4Wb9Yc1Nd5»
jwt|user_jwt: «eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiI3In0.Kq8vLm2Xr7Tz4Wb9Yc1Nd5Pf6Gh3Jk9Xv2Lm7Qr4Tz8»
otpauth|otpauth://totp/Shop:ann?secret=«JBSWY3DPEHPK3PXP»&issuer=Shop
totp seed|totp_seed = "«KRSXG5CTMVRXEZLU»"
pin|card_pin = "«4831»"
pin number|{"user": "ann", "pin": «927461»}
cvv|payment = {"number": "4111", "cvv": "«737»"}
one time code|otp = "«583920»"
dataclass repr|Settings(user='ann', password='«driftwood7»', port=5432)
namedtuple repr|Login(name='ann', passphrase='«a slow green tram»')
argparse repr|Namespace(host='db', db_pass='«quartz!Lamp»', verbose=False)
pydantic secretstr call|SecretStr("«maple-syrup-3»")
environ repr|environ({'HOME': '/root', 'GRAFANA_ADMIN_PASSWORD': '«Tidepool_6»'})
sqlalchemy url|postgresql+psycopg2://app:«k1te%21fish»@db/shop
psycopg dsn|dbname=shop user=app password=«b0nfire» host=db
psycopg quoted dsn|"host=db user=app password='«two words here»'"
odbc|Driver={SQL};Server=db;Uid=app;Pwd=«Gooseberry1»;
jdbc|jdbc:mysql://db/shop?user=app&password=«lichen-88»
ado net|Server=db;User Id=app;Password=«0atcakes!»;Encrypt=true
ldap|ldap_bind_pw = "«cormorant»"
amqp|amqps://app:«f1refly»@mq.example.org/vhost
mongo|mongodb+srv://app:«p0ppyseed»@cluster0.example.net/shop
redis url|redis://:«l1monade»@cache:6379/0
auth tuple|requests.get(url, auth=("deploy", "«hazelnut.5»"))
basic auth call|HTTPBasicAuth('deploy', '«Pebble-drum»')
smtp login|server.login("ann@example.org", "«Quiet%Storm»")
mysql connect|mysql.connector.connect(host="db", user="app", passwd="«silvermoth»")
paramiko|ssh.connect("host", username="root", password="«ember_glow»")
boto|boto3.client("s3", aws_access_key_id="x", aws_secret_access_key="«kW8z/abcDEF·ghi123JKLmno456PQRstu789VWXy»")
maven xml|<server><id>r</id><password>«mushroom8»</password></server>
xml attribute|<add name="db" connectionString="Server=db;Password=«Nightjar3»;" />
xml value pair|<property name="hibernate.connection.password" value="«Oakleaf!»"/>
appsettings key value|<add key="ApiSecret" value="«ginger-cat-9»" />
plist|<key>password</key>\n<string>«harvestmoon»</string>
html input|<input type="password" name="pw" value="«stonefruit2»">
sql identified|CREATE USER app IDENTIFIED BY '«Bramble_1»';
sql alter|ALTER USER app WITH PASSWORD '«snowgoose»';
sql insert|INSERT INTO users (name, password) VALUES ('ann', '«teaspoon4»')
csv|name,password\nann,«doorbell9»
toml|[database]\npassword = "«cardamom-x»"
ini colon|[mail]\nsmtp_pass : «overcast»
ini in a string|config.read_string("[db]\nuser=app\npassword=«inkwell7»\n")
ini in repr|'[db]\nuser = app\npasswd = «ladybird»\n'
yaml block|password: >-\n  «thimble rain coat»
yaml anchor|password: &pw «bluebottle2»
json escaped|"{\"password\": \"«sandpiper\\u0021»\"}"
json nested string|{"body": "{\"api_token\":\"«rookery-12»\"}"}
annotated|password: str = "«gatepost»"
final|API_TOKEN: Final[str] = "«corduroy_9»"
walrus|if (token := "«juniper-6a»"):
default argument|def connect(user="app", password="«windmill»"):
lambda default|open_ = lambda pw="«saltmarsh»": pw
concatenated|password = ("«lantern»" "-«wharf»")
tuple target|user, password = "ann", "«copper kettle»"
chained|PASSWORD = passwd = "«dandelion»"
dict call|dict(user="ann", pwd="«moorhen1»")
setattr|setattr(cfg, "password", "«chaffinch»")
setdefault|os.environ.setdefault("DB_PASSWORD", "«hedgehog3»")
environ set|os.environ["API_SECRET"] = "«bellflower»"
getenv default|os.getenv("JWT_SECRET", "«dev-onlyish-7»")
get default|config.get("session_secret", "«rhubarb»")
argparse default|parser.add_argument("--password", default="«tortoise8»")
compare|if password == "«opensesame»":
match case|case {"password": "«snapdragon»"}:
hmac new|hmac.new(b"«webhook-key-zinc»", body, "sha256")
jwt encode|jwt.encode(payload, "«notsogreatkey»", algorithm="HS256")
numpy array|api_keys = np.array(["«k-azure-1»", "«k-azure-2»"])
pandas series|passwords = pd.Series(["«fogbank»", "«sleet7»"])
pandas frame|pd.DataFrame({"user": ["a", "b"], "password": ["«hailstone»", "«drizzle9»"]})
compiled|secret_re = re.compile("«orbit-secretword»")
list of tokens|TOKENS = ["«heron-1f»", "«egret-2e»"]
set of tokens|valid_tokens = {"«plover-9»", "«dunlin-8»"}
dict of passwords|passwords = {"ann": "«sandstone»", "bob": "«limestone»"}
credentials tuple|credentials = ("ann", "«granite55»")
thread args|Thread(target=login, args=("ann", "«basalt77»"))
thread kwargs|Thread(target=login, kwargs={"password": "«flint_8»"})
sqlite parameters|db.execute("UPDATE users SET password = ? WHERE name = ?", ("«schist12»", "ann"))
sqlite named|db.execute("INSERT INTO u VALUES (:name, :password)", {"name": "ann", "password": "«shale-3»"})
mnemonic|mnemonic = "«abandon ability able about above absent absorb abstract absurd abuse access accident»"
seed phrase|SEED_PHRASE="«ripple scissors kick mammal hire column oak again sun offer wealth tomorrow»"
recovery phrase|{"recovery_phrase": "«void come effort suffer camp survey warrior heavy shoot primary clutch crush»"}
recovery codes|recovery_codes = ["«a1b2-c3d4»", "«e5f6-g7h8»"]
salt|salt = "«pinch-of-9f»"
pepper|PEPPER = b"«black-corns-2»"
bearer|bearer = "«ivory-22-tusk»"
jwt key|JWT_KEY = "«hs256-amber»"
otp seed|otp_seed = "«NB2W45DFOIZA»"
master pass|master_pass = "«keepass-elm»"
unlock code|unlock_code = "«7741-9920»"
signing key|SIGNING_KEY = "«ink-and-wax»"
hmac key|hmac_key = bytes.fromhex("«00aa11bb22cc33dd44ee55ff»")
encryption key|encryptionKey: "«sixteen byte key»"
camel|const dbPassword = "«toadstool1»";
kebab|db-password: «fernleaf»
c define|#define WIFI_PASSWORD "«router-glass»"
c const|static const char *kApiSecret = "«nettle.soup»";
cpp string|std::string password{"«haystack!»"};
rust let|let api_key: &str = "«cranberry-1»";
go const|const apiToken = "«yarrow_tea»"
go short|password := "«barnacle»"
java field|private static final String DB_PASS = "«mulberry4»";
javascript object|const config = { user: 'ann', pass: '«oldrope3»' }
typescript|private readonly secret: string = '«sealskin»';
ruby hash|{ :user => "ann", :password => "«pipistrelle»" }
ruby symbol|password: '«catkin22»',
php array|'password' => '«sycamore»',
perl|my $passwd = '«buttercup»';
shell export|export GH_TOKEN=«swallowtail-2»
shell read|password="«kingfisher»"; deploy
powershell|$env:API_TOKEN = "«otter-77»"
windows set|set DB_PASSWORD=«badger_1»
dockerfile env|ENV ADMIN_PASSWORD «foxglove8»
dockerfile arg|ARG NPM_TOKEN=«ladder_3k»
makefile|DEPLOY_TOKEN ?= «stoat-line»
systemd|Environment="MQTT_PASSWORD=«wagtail»"
nginx|proxy_set_header Authorization "Bearer «whimbrel-5»";
htpasswd command|htpasswd -b users ann «siskin!»
docker login|docker login -u ann -p «linnet_4» registry.example.org
log line|2026-01-02 INFO connecting with password=«corncrake» to db
log line colon|DEBUG auth token: «brambling_88»
exception text|ValueError: invalid password 'hunter' -> password='«redstart»'
german|passwort = "«fliegenpilz»"
german kennwort|kennwort: «Heidekraut1»
french|mot_de_passe = "«coquelicot»"
spanish|contrasena = "«amapola7»"
portuguese|senha = "«girassol»"
license|license_key = "«ABCD-EFGH-1234-5678»"
security answer|security_answer = "«my first pony»"
private key hex|private_key = "0x«4c0883a69102937d6231471b5dbb6204fe512961708279f2e2d6a3b1c0f9e8d7»"
shared access|SharedAccessKey=«Kq8vLm2Xr7Tz4Wb9Yc1Nd5Pf6Gh3Jk9Xv2Lm7Qr4T=»
ssh private key|«-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEAAAAABG5vbmU\n-----END OPENSSH PRIVATE KEY-----»
pgp block|«-----BEGIN PGP PRIVATE KEY BLOCK-----\n\nlQOYBGYk3a0BCADq\n-----END PGP PRIVATE KEY BLOCK-----»
bytes repr|{'token': b'«curlew\x01\x02key»'}
bytearray repr|password = bytearray(b'«turnstone»')
f-string|f"password={'«goldcrest»'}"
percent format|"user=%s password=%s" % ("ann", "«fieldfare»")
urlencoded|user=ann&pass%77ord=x&secret=«pochard%2Fone»
query token|https://example.org/reset?token=«shoveler-19»
magic link|https://example.org/login?access_token=«gadwall.77»#top
multipart|Content-Disposition: form-data; name="password"\r\n\r\n«pintail_2»\r\n
traceback locals|        password = '«garganey»'
pytest diff|E       assert 'x' == '«smew123»'\nE         where '«smew123»' = get_password()
pprint|{'auth': {'password': '«merganser»',\n          'user': 'ann'}}
columns|password    «goosander1»
table|\| api_key \| «scoter-31» \|
getpass|Password: «eider!duck»
"""

_LOOK_ALIKES = r"""
ulid|order_id = "01ARZ3NDEKTSV4RRFFQ69G5FAV"
ulid lower|"01h455vb4pex5vsknk084sn02q"
ksuid|event = "0ujsszwN8NRY24YaXiTIE2VWDTS"
nanoid|row = "V1StGXR8_Z5jdHi6B-myT"
cuid|post_id: ckopqwooh000001la8mbi2im9
uuid|request_id=123e4567-e89b-12d3-a456-426614174000
uuid bare|123e4567e89b12d3a456426614174000
object id|ObjectId('507f1f77bcf86cd799439011')
snowflake|tweet 1541815603606036480
git sha|commit 9fceb02d0ae598e95dc970b74767f19372d61af8
docker digest|image@sha256:9b2c3d4e5f60718293a4b5c6d7e8f90123456789abcdef0123456789abcdef01
pip hash|--hash=sha256:2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824
npm integrity|"integrity": "sha512-z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP+DGNKHfuwvY7kxvUdBeoGlODJ6+SfaPg=="
sri attribute|<script integrity="sha384-oqVuAfXRKap7fdgcCY5uykM6+R9GqQ8K/uxy9rx7HNQlGYl1kPzQho1wx4JwY8wC">
go sum|golang.org/x/text v0.3.0 h1:g61tztE5qeGQ89tm6NTjjM9VPIm088od1l6aSorWRWg=
ssh public key|ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGk3v9Zb1QxYw5n0m2Tq8Lr4Xs7Vd6Kc ann@host
ssh rsa public|ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABgQC7vbqajDhA1k9w8m2Xr7Tz4Wb9Yc1Nd5Pf6 ann@host
ssh fingerprint|SHA256:nThbg6kXUpJWGl7E1IGOCspRomTxdCARLviKw6E5SY8
pem public key|-----BEGIN PUBLIC KEY-----\nMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE9xKq2Lm7Vb3Nz8Rt5Wyc1Df4\n-----END PUBLIC KEY-----
pem certificate|-----BEGIN CERTIFICATE-----\nMIIBszCCAVmgAwIBAgIUKq8vLm2Xr7Tz4Wb9Yc1Nd5Pf6GhwCgYIKoZIzj0EAwIw\n-----END CERTIFICATE-----
pem public name|public_key = "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE9xKq2Lm7Vb3Nz8Rt5Wyc1Df4"
wireguard public|PublicKey = xTIBA5rboUvnH4htodjb6e697QjLERt1NAB4mZqp8Dg=
jwk public|{"kty": "EC", "crv": "P-256", "x": "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU", "y": "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"}
ethereum address|wallet = "0x52908400098527886E0F7030069857D2E4169EE7"
bitcoin address|address: bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq
bitcoin legacy|1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2
ipfs cid|QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWnPbdG
ipfs v1|bafybeigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi
onion|http://duckduckgogg42xjoc72x3sjasowoarfbgcmvfimaftt6twagswzczad.onion/
arn|arn:aws:iam::123456789012:role/service-role/MyLambdaRole-1A2B3C4D5E6F
aws resource|i-0abcd1234efgh5678 subnet-0bb1c79de3EXAMPLE
etag|ETag: "33a64df551425fcc55e4d42a148795d9f25f89d4"
traceparent|traceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01
x request id|X-Amz-Request-Id: 3W7KQ9X2MZ8WB1YC
stripe object|customer = "cus_9s6XKzkNRiz8i3" charge = "ch_3MmlLrLkdIwHu7ix0snN0B15"
stripe publishable|Stripe("pk_test·_TYooMQauvdEDq54NiTphI7jx")
recaptcha site key|data-sitekey="6LeIxAcTAAAAAJcZVRqyHh71UMIEGNQ_MXjiZKhI"
youtube|https://www.youtube.com/watch?v=dQw4w9WgXcQ
google sheet|https://docs.google.com/spreadsheets/d/1BxiMVs0XRA5nFMdKvBdBZjgmUUqptlbs74OgvE2upms/edit
k8s pod|pod/shop-frontend-7d9f8c6b5d-x2x4z
webpack chunk|/static/js/main.8f3a1c9d.chunk.js
css module|className="Button_primary__3xK9q"
css colour|background: #9fceb0
mime boundary|boundary=----WebKitFormBoundary7MA4YWxkTrZu0gW
data uri|data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAUAAAAFCAYAAACNbyblAAAAHElEQVQI12P4//8/w38GIAXDIBKE0DHxgljNBAAO9TXL0Y4OHwAAAABJRU5ErkJggg==
base64 text|body = "VGhlIHF1aWNrIGJyb3duIGZveCBqdW1wcyBvdmVyIHRoZSBsYXp5IGRvZy4="
dna|ACGTACGTTAGCCATGACCGGTTAACCGGATATCCGGTACGTACGATCG
protein|MKTAYIAKQRQISFVKSHFSRQLEERLGLIEVQAPILSRVGDGTQDNLSGAEKAVQVK
smiles|CN1C=NC2=C1C(=O)N(C(=O)N2C)C
chess|rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1
svg path|M10 80 C 40 10, 65 10, 95 80 S 150 150, 180 80
java class|org.springframework.beans.factory.support.DefaultListableBeanFactory
objc selector|tableView:didSelectRowAtIndexPath:withCompletionHandler:
cpp mangled|_ZNSt6vectorIiSaIiEE9push_backERKi
rust mangled|_ZN4core3ptr85drop_in_place17h0123456789abcdefE
python path|/usr/lib/python3.12/site-packages/numpy/core/_multiarray_umath.cpython-312-x86_64-linux-gnu.so
windows path|C:\Program Files (x86)\Common Files\Microsoft Shared\VC\msdia90.dll
url slug|https://example.org/2026/01/how-we-cut-build-times-by-80-percent-3f2a
timestamp|2026-01-02T03:04:05.678901+00:00
ipv6|2001:0db8:85a3:0000:0000:8a2e:0370:7334
mac|00:1A:2B:3C:4D:5E
iban|NL91ABNA0417164300
vin|1HGCM82633A004352
isbn|978-3-16-148410-0
phone|+31 20 123 4567
semver|1.0.0-beta+exp.sha.5114f85
conda build|numpy-1.26.4-py312h02b7e37_0
wheel|cryptography-42.0.5-cp39-abi3-manylinux_2_28_x86_64.whl
regex|r"^(?P<year>\d{4})-(?P<month>0[1-9]|1[0-2])$"
sql|SELECT password, salt FROM users WHERE id = 7
password hint|password_hint_text = "Use at least 12 characters"
password label|label(for_="password", text="Password")
password policy|password_min_length = 12
password type|password: str
password none|password = None
password input|driver.find_element(By.ID, "password").clear()
token count|{"prompt_tokens": 1024, "completion_tokens": 256, "max_tokens": 4096}
token type|{"token_type": "Bearer", "expires_in": 3600}
token kind|token.type == "NAME"
tokenizer|tokenizer = AutoTokenizer.from_pretrained("bert-base-uncased")
primary key|primary_key = "customer_id"
cache key|cache_key = "user:42:profile"
sort key|sort_key = "created_at"
dict key|key = "first_name"
hot key|hotkey = "ctrl+shift+k"
key error|KeyError: 'customer_number'
public name|public_key_path = "/etc/app/id_ed25519.pub"
key id|key_id = "projects/shop/locations/eu/keyRings/r/cryptoKeys/k"
secret name|secret_name = "prod/shop/database"
secret ref|valueFrom:\n  secretKeyRef:\n    name: shop-db\n    key: password
template secret|password: ${{ secrets.DB_PASSWORD }}
env reference|password = os.environ["DB_PASSWORD"]
vault path|vault_path = "secret/data/shop"
auth type|auth_type = "oauth2"
author|author = "Alice Johnson"
client id|client_id = "1087654321-shop.apps.example.org"
gpio pin|pin = 13
pin name|pinout = "GPIO13"
pass count|passed=12 failed=0 pass_rate=0.93
bypass|bypass = "cache"
compass|compass = "north-east"
passenger|passenger = "Bob Miller"
monkey|monkey = "banana"
keyboard layout|keyboard = "us-intl"
random seed|seed = 20240517
seed words|seed = "sunflower"
mnemonic opcode|mnemonic = "mov"
mnemonic opcode two|mnemonic = "vfmadd231ps"
salt ingredient|recipe = {"salt": "1 tsp", "pepper": "a pinch"}
bearer format|bearer_format = "JWT"
secretary|secretary = "Carol Smith"
cookie name|SESSION_COOKIE_NAME = "shop_session"
csrf header|CSRF_HEADER_NAME = "X-CSRFToken"
api key header|APIKeyHeader(name="X-API-Key")
licence|license = "Apache-2.0"
pwd|PWD=/home/ann/shop
passthrough|pass_through = "always"
signature def|def sign(key: bytes, message: bytes) -> bytes:
error code|ERR_SSL_VERSION_OR_CIPHER_MISMATCH
locale|en_US.UTF-8
product key word|product_key = "blue-mug"
sentence|The token expired after 3600 seconds, please log in again.
sentence two|Wrong password for user ann (3 attempts left)
enum repr|<TokenKind.IDENTIFIER: 'identifier'>
object repr|<shop.auth.PasswordHasher object at 0x7f3a1c9d7e20>
hash algorithm|password_hasher = "argon2id"
float list|[0.12345678901234567, 2.718281828459045]
big int|n = 115792089237316195423570985008687907853269984665640564039457584007913129639747
"""


def named_lines(text: str) -> list[tuple[str, str]]:
    """What each line of a corpus is of, and its text, with the line ends that it names."""
    found: list[tuple[str, str]] = []
    for line in text.strip().splitlines():
        what, _, written = line.partition("|")
        written = written.replace("\\|", "|").replace("·", "").replace("\\r", "\r").replace("\\n", "\n")
        found.append((what, written))
    return found


def marked(text: str) -> list[Planted]:
    """The secrets of a corpus, each with its whole text."""
    found: list[Planted] = []
    for what, written in named_lines(text):
        plain = written.replace("«", "").replace("»", "")
        found += [Planted(what, plain, secret) for secret in re.findall("«(.*?)»", written, re.DOTALL)]
    return found


SPELLED = marked(_SPELLED)
LOOK_ALIKES = named_lines(_LOOK_ALIKES)
