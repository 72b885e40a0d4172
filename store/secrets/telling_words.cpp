// The words that tell of a secret, a tongue a block. Letters as PlainText leaves them: no
// diacritics, and small where they are not ASCII.
#include <array>

#include "store/secrets/telling.h"

namespace kartei::secrets {
namespace {

constexpr auto kPassword = Tells::kPassword, kLabel = Tells::kLabel, kPin = Tells::kPin,
               kCardCode = Tells::kCardCode, kKey = Tells::kKey, kWeakKey = Tells::kWeakKey;

constexpr TellingWord kWords[] = {
    // English, and what programs write
    {"password", kPassword, true},
    {"passphrase", kPassword, true},
    {"pass phrase", kPassword},
    {"passcode", kPassword},
    {"passwd", kPassword, true},
    {"passwrd", kPassword},
    {"pasword", kPassword},
    {"pwd", kPassword, true},
    {"login code", kPassword},
    {"recovery~code", kPassword},
    {"backup~code", kPassword},
    {"pass:", kLabel},
    {"pass =", kLabel},
    {"pass=", kLabel},
    {"pw:", kLabel},
    {"pw =", kLabel},
    {"pw=", kLabel},
    {"pw ", kLabel},
    {"pin", kPin},
    {"pins", kPin},
    {"pincode", kPin},
    {"pin code", kPin},
    {"pin-code", kPin},
    {"pin number", kPin},
    {"cvv", kCardCode},
    {"cvc", kCardCode},
    {"cvv2", kCardCode},
    {"cvc2", kCardCode},
    {"card security code", kCardCode},
    {"api~key", kKey, true},
    {"api~token", kKey, true},
    {"api~secret", kKey, true},
    {"app~secret", kKey, true},
    {"secret~key", kKey, true},
    {"secret~access~key", kKey, true},
    {"access~key", kKey, true},
    {"access~token", kKey, true},
    {"refresh~token", kKey, true},
    {"auth~token", kKey, true},
    {"bot~token", kKey, true},
    {"client~secret", kKey, true},
    {"consumer~secret", kKey, true},
    {"webhook~secret", kKey, true},
    {"signing~secret", kKey, true},
    {"signing~key", kKey, true},
    {"private~key", kKey, true},
    {"preshared~key", kKey, true},
    {"encryption~key", kKey, true},
    {"master~key", kKey, true},
    {"account~key", kKey, true},
    {"deploy~key", kKey},
    {"session~secret", kKey, true},
    {"jwt~secret", kKey, true},
    {"totp~secret", kKey, true},
    {"2fa secret", kKey},
    {"authorization", kKey},
    {"bearer ", kKey},
    {"x-api-key", kKey},
    {"token", kWeakKey, true},
    {"secret", kWeakKey, true},
    {"credential", kWeakKey},
    {"credentials", kWeakKey},
    // German
    {"passwort", kPassword, true},
    {"kennwort", kPassword, true},
    {"losungswort", kPassword},
    {"geheimzahl", kPin},
    {"geheimnummer", kPin},
    {"pin-nummer", kPin},
    {"api~schlussel", kKey},
    {"zugangsschlussel", kKey},
    {"geheimer schlussel", kKey},
    {"geheimen schlussel", kKey},
    {"privater schlussel", kKey},
    {"zugriffstoken", kKey},
    // French
    {"mot de passe", kPassword},
    {"mots de passe", kPassword},
    {"mdp", kLabel},
    {"code pin", kPin},
    {"code secret", kPin},
    {"code confidentiel", kPin},
    {"cle api", kKey},
    {"cle d'api", kKey},
    {"cle secrete", kKey},
    {"cle privee", kKey},
    {"jeton", kWeakKey},
    // Spanish
    {"contrasena", kPassword},
    {"clave", kPassword},
    {"codigo pin", kPin},
    {"numero secreto", kPin},
    {"clave api", kKey},
    {"clave de api", kKey},
    {"clave de la api", kKey},
    {"clave secreta", kKey},
    {"clave privada", kKey},
    // Italian
    {"parola d'ordine", kPassword},
    {"parola chiave", kPassword},
    {"codice pin", kPin},
    {"codice segreto", kPin},
    {"chiave api", kKey},
    {"chiave segreta", kKey},
    {"chiave privata", kKey},
    // Portuguese
    {"senha", kPassword},
    {"palavra-passe", kPassword},
    {"palavra passe", kPassword},
    {"codigo secreto", kPin},
    {"chave api", kKey},
    {"chave de api", kKey},
    {"chave da api", kKey},
    {"chave secreta", kKey},
    // Dutch
    {"wachtwoord", kPassword, true},
    {"toegangscode", kPassword},
    {"api~sleutel", kKey},
    {"geheime sleutel", kKey},
    // Swedish
    {"losenord", kPassword, true},
    {"losenordet", kPassword, true},
    {"pinkod", kPin},
    {"pinkoden", kPin},
    {"api~nyckel", kKey},
    {"hemlig nyckel", kKey},
    // Polish
    {"haslo", kPassword},
    {"haslem", kPassword},
    {"kod pin", kPin},
    {"klucz api", kKey},
    {"tajny klucz", kKey},
    // Turkish
    {"sifre", kPassword},
    {"sifrem", kPassword},
    {"sifresi", kPassword},
    {"parola", kPassword},
    // Russian
    {"пароль", kPassword},
    {"пароля", kPassword},
    {"паролем", kPassword},
    {"пин-код", kPin},
    {"пинкод", kPin},
    {"пин код", kPin},
    {"пин", kPin},
    {"ключ api", kKey},
    {"api-ключ", kKey},
    {"api ключ", kKey},
    {"секретный ключ", kKey},
    {"токен", kWeakKey},
    // Greek
    {"κωδικοσ", kPassword},
    {"κωδικο", kPassword},
    {"συνθηματικο", kPassword},
    // Arabic
    {"كلمة المرور", kPassword},
    {"كلمة السر", kPassword},
    {"كلمة مرور", kPassword},
    {"الرقم السري", kPin},
    {"رمز المرور", kPassword},
    // Hindi
    {"पासवर्ड", kPassword},
    {"पिन", kPin},
    // Chinese
    {"密码", kPassword, true},
    {"密碼", kPassword, true},
    {"口令", kPassword, true},
    {"pin码", kPin},
    {"pin碼", kPin},
    {"密钥", kKey, true},
    {"秘钥", kKey, true},
    {"金鑰", kKey, true},
    {"令牌", kWeakKey, true},
    // Japanese
    {"パスワード", kPassword, true},
    {"パスフレーズ", kPassword, true},
    {"パスコード", kPassword, true},
    {"暗証番号", kPin, true},
    {"apiキー", kKey},
    {"秘密鍵", kKey, true},
    {"シークレットキー", kKey, true},
    {"トークン", kWeakKey, true},
    // Korean
    {"비밀번호", kPassword, true},
    {"비번", kPassword, true},
    {"패스워드", kPassword, true},
    {"암호", kPassword},
    {"핀번호", kPin, true},
    {"api 키", kKey},
    {"비밀 키", kKey},
    {"토큰", kWeakKey, true},
};

}  // namespace

std::span<const TellingWord> telling_words() {
  return kWords;
}

std::vector<std::string> spellings(std::string_view text) {
  std::vector<std::string> out(1);
  for (const char c : text) {
    if (c != '~') {
      for (std::string& one : out) one.push_back(c);
      continue;
    }
    std::vector<std::string> more;
    for (const std::string& one : out)
      for (const std::string_view between : {"", " ", "_", "-"})
        more.push_back(one + std::string(between));
    out = std::move(more);
  }
  return out;
}

}  // namespace kartei::secrets
