// A sentence for each telling word that corpus_told.cpp and corpus_keys.cpp have none with.
#include "tests/secrets/corpus_parts.h"

namespace kartei::secrets::corpus {
namespace {

constexpr const char* kWordPasswords[] = {
    "the pass phrase is \"[[gravel teapot harbour 1907]]\"",
    "passwd: [[Zinnober_7]]",
    "sorry, passwrd is [[T0boggan!]]",
    "new pasword: [[Heron.2031]]",
    "my login code is [[84-kite-17]]",
    "recovery code: [[k7m2-x9qp-41vd]]",
    "olga / pass: [[Rucola&Feta3]]",
    "pass = [[Gondola_12]]",
    "user olga, pw = [[Almrausch8]]",
    "user=olga pw=[[Tandem-31]]",
    "wifi pw [[Kapitel_19]]",
    "lösenordet är [[Blåklocka_27]]",
    "şifre: [[Leylek_905]]",
    "βάζω κωδικό [[Glaros_71]]",
    "das Losungswort lautet [[Uhu-im-Turm7]]",
    "les mots de passe : [[Mirabelle_6]]",
    "a palavra passe é [[Cegonha#12]]",
    "la parola chiave è [[Girasole.31]]",
    "de toegangscode is [[Duinen!48]]",
    "loguję się hasłem [[Wydra_2030]]",
    "wifi şifresi: [[Martı_64]]",
    "вместо пароля [[Ryabina_8]]",
    "захожу с паролем [[Filin!303]]",
    "το συνθηματικό είναι [[Elia_2031]]",
    "كلمة السر: [[Zaytun_88]]",
    "كلمة مرور الشبكة: [[Nakhla!19]]",
    "رمز المرور هو [[Bahr_2029]]",
    "口令：[[zhulin_57]]",
    "パスフレーズは[[tsubame-yane-9]]です",
    "パスコード：[[hotaru_52]]",
    "패스워드는 [[dokkaebi!7]]",
    "암호: [[haneul_93]]",
};

constexpr const char* kWordPins[] = {
    "my pins: [[4471]]",
    "PIN-code: [[90412]]",
    "pin number is [[6038]]",
    "the CVV2 is [[604]]",
    "CVC2: [[117]]",
    "card security code: [[592]]",
    "die Geheimnummer ist [[7316]]",
    "PIN-Nummer: [[2094]]",
    "mon code secret est [[8127]]",
    "code confidentiel : [[5530]]",
    "el código PIN es [[6619]]",
    "número secreto: [[3082]]",
    "il codice segreto è [[9174]]",
    "o código secreto é [[2765]]",
    "pinkoden är [[8406]]",
    "kod PIN: [[1598]]",
    "мой пинкод [[7243]]",
    "пин код: [[3861]]",
    "الرقم السري هو [[9052]]",
    "मेरा पिन है [[6427]]",
    "PIN碼：[[3719]]",
    "핀번호는 [[8250]]",
};

// "@" becomes a key.
constexpr const char* kWordKeys[] = {
    "api_token: @",
    "my api secret is @",
    "APP_SECRET=@",
    "the refresh token is @",
    "bot token: @",
    "consumer_secret=@",
    "signing-secret: @",
    "signing key = @",
    "MASTER_KEY=@",
    "the account key is @",
    "the deploy key is @",
    "SESSION_SECRET=@",
    "totp_secret: @",
    "2FA secret: @",
    "credential: @",
    "the credentials are @",
    "der Zugangsschlüssel ist @",
    "geheimer Schlüssel: @",
    "den geheimen Schlüssel @ bitte merken",
    "privater Schlüssel: @",
    "Zugriffstoken: @",
    "la clé d'API est @",
    "clé secrète : @",
    "clé privée : @",
    "le jeton est @",
    "clave API: @",
    "la clave de API es @",
    "clave secreta: @",
    "clave privada: @",
    "chiave API: @",
    "la chiave segreta è @",
    "chiave privata: @",
    "chave API: @",
    "a chave da API é @",
    "chave secreta: @",
    "API-sleutel: @",
    "de geheime sleutel is @",
    "API-nyckel: @",
    "hemlig nyckel: @",
    "klucz API: @",
    "tajny klucz: @",
    "мой API-ключ: @",
    "API ключ @",
    "секретный ключ: @",
    "токен: @",
    "秘钥：@",
    "金鑰是@",
    "令牌：@",
    "秘密鍵は@です",
    "シークレットキー：@",
    "トークンは@です",
    "API 키: @",
    "비밀 키는 @",
    "토큰: @",
};

}  // namespace

void add_every_word(std::vector<Secret>& out) {
  for (const char* text : kWordPasswords) out.push_back(marked("passwords", text));
  for (const char* text : kWordPins) out.push_back(marked("PINs", text));
  Generator g(20261202);
  for (const std::string text : kWordKeys) {
    std::string whole = text;
    whole.replace(text.find('@'), 1, "[[" + g.word(40) + "]]");
    out.push_back(marked("keys beside telling words", whole));
  }
}

}  // namespace kartei::secrets::corpus
