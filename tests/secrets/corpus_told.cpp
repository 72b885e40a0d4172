// Secrets beside telling words, as people write them in a chat.
#include "tests/secrets/corpus_parts.h"

namespace kartei::secrets::corpus {
namespace {

constexpr const char* kPasswords[] = {
    // English
    "my password is [[hunter2]]",
    "ok so the wifi password is [[Kaffee-2291]] if you want to get online",
    "My Netflix password is [[Pelican!Sunrise7]], please keep it.",
    "Password: [[tr33hugger_99]]",
    "username: olga\npassword: [[Marzipan#41]]",
    "user=olga pass=[[Marzipan#41]]",
    "login olga / pw: [[Zugspitze2962]]",
    "The password for the guest network is [[lemon-tart-88]].",
    "the admin password of my NAS is currently [[Quokka$1987]]",
    "I changed the password to [[Nordlicht.2025]] yesterday",
    "Please log in with password [[B4nanaSplit!]] and tell me what you see",
    "[[Kranich-7781]] is my new router password",
    "use [[S3agull&co]] as the password",
    "{\"user\": \"olga\", \"password\": \"[[pl4tyPus]]\"}",
    "DB_PASSWORD=[[x9Lr2vQw]]",
    "export PGPASSWORD='[[r0deo.drive]]'",
    "mysql -u root --password=[[G1raffe_neck]] shop",
    "spring.datasource.password: [[aX7-banjo-44]]",
    "my passphrase is \"[[ferry lantern oxide marble]]\"",
    "Passphrase: [[ferry-lantern-oxide-marble]]",
    "my password is [[swordfish]].",
    "Our streaming password is [[pumpernickel]]!",
    "password = \"[[sunflower]]\"",
    "the password's still [[Hal9000forever]]",
    "passcode for the alarm app is [[qwe789rty]]",
    "**Password:** [[Wombat+Tea5]]",
    "wifi: Blue House\nwifi password: [[blue1house2cats]]",
    "<password>[[eL3phant]]</password>",
    "My email password was [[Rosebud1941]], I should change it.",
    "sudo password on the pi: [[raspb3rry.tart]]",
    "Hey, store this: bank portal, password [[Grün-Kohl#77]]",
    "and the pwd is [[kolibri_2024]]",
    "What is it again? The password is [[vA8!moth]]?",
    "my password (please remember) is [[Tapir1009]]",
    "Server 10.0.0.7, login deploy, password: [[9iceFloe?]]",
    "my backup code is [[7f3k-92mq-a1zx]]",
    "https://example.org/login?user=olga&password=[[Otter22swim]]&next=home",
    "the password I use everywhere is [[Lavendel1!]]",
    "my password is: [[11223344]]",
    "[[Mango_77]] was my password before",
    // German
    "Mein Passwort ist [[Sommer2024!]]",
    "das WLAN-Passwort lautet [[Apfelkuchen-12]]",
    "Das Passwort für den Router ist [[fritz.Box77]].",
    "Passwort: [[Edelweiss_5]]",
    "Kennwort: [[Berg*Steiger9]]",
    "mein neues Kennwort lautet: [[Zitrone88x]]",
    "Ich habe das Passwort auf [[Winter2025?]] geändert",
    "merk dir bitte mein Bankpasswort: [[Gold%Taler3]]",
    "[[Regenbogen_31]] ist mein Passwort",
    "Unser Netflix-Passwort ist [[Kartoffelsalat]].",
    "Benutzer: jan, Passwort: [[M0ewe-See]]",
    "nimm [[Blaubeere.7]] als Passwort",
    // French
    "mon mot de passe est [[Soleil#88]]",
    "Mot de passe : [[chouette42]]",
    "le mot de passe du wifi c'est [[Croissant_77]]",
    "le mot de passe wifi est « [[baguette-1789]] »",
    "identifiant olga, mdp: [[fromage2.0x]]",
    "[[Lavande!5]] est mon mot de passe",
    "J'ai changé le mot de passe en [[Tournesol9!]]",
    // Spanish
    "mi contraseña es [[Gato1234]]",
    "Contraseña: [[p4ella_rica]]",
    "la contraseña del wifi es [[Naranja-55]]",
    "la clave del banco es [[Sol.y.Luna7]]",
    "[[Torero_99]] es mi contraseña",
    "mi clave de acceso es [[Lluvia2023]]",
    // Italian
    "la mia password è [[Gelato!2024]]",
    "la password del wifi è [[Vesuvio-79]]",
    "Password: [[Mozzarella_3]]",
    "la parola d'ordine è [[Lupo.Grigio8]]",
    "[[Tramonto55]] è la mia password",
    // Portuguese
    "minha senha é [[Abacaxi99]]",
    "a senha do wifi é [[praia_2020]]",
    "Senha: [[c0rcovado!]]",
    "a minha palavra-passe é [[Bacalhau#1]]",
    // Dutch
    "mijn wachtwoord is [[Fietsbel12]]",
    "het wachtwoord van de wifi is [[stroopwafel-7]]",
    "Wachtwoord: [[Tulp&Molen4]]",
    "wifi-wachtwoord: [[regenjas88]]",
    // Swedish, Polish, Turkish
    "mitt lösenord är [[Midsommar22]]",
    "Lösenord: [[kanelbulle_4]]",
    "moje hasło to [[Pierogi2021]]",
    "Hasło: [[zubr.bialy7]]",
    "şifrem [[Kedi1453]]",
    // Russian, Greek
    "мой пароль [[qwerty123]]",
    "Пароль: [[Zima2023]]",
    "пароль от вайфая — [[domik_77]]",
    "мой пароль это [[Medved!5]]",
    "ο κωδικός μου είναι [[Thalassa9]]",
    // Arabic, Hindi
    "كلمة المرور هي [[Qamar2024]]",
    "मेरा पासवर्ड [[Mumbai@44]] है",
    // Chinese, Japanese, Korean
    "我的密码是[[abc12345]]",
    "wifi密码：[[xiaomao2020]]",
    "密碼: [[taipei_101x]]",
    "把密码改成[[Panda-888]]吧",
    "银行密码为 [[Lóng2024!]]",
    "パスワードは[[neko1234]]です",
    "Wi-Fiのパスワードは「[[sakura-0401]]」",
    "パスワード：[[Fuji3776m]]",
    "비밀번호는 [[pass9876]] 입니다",
    "와이파이 비번은 [[kimchi_55]]",
};

constexpr const char* kPins[] = {
    "My PIN is [[4821]].",
    "the pin for my debit card is [[0937]]",
    "PIN: [[5512]]",
    "my phone's PIN code is [[71930]]",
    "card PIN = [[2468]]",
    "my card's CVV is [[731]]",
    "CVC: [[0294]]",
    "[[6107]] is my PIN",
    "Meine PIN ist [[8841]]",
    "die Geheimzahl lautet [[3390]]",
    "mon code PIN est [[1952]]",
    "mi PIN es [[7705]]",
    "il mio codice PIN è [[4416]]",
    "mijn pincode is [[9083]]",
    "min pinkod är [[2290]]",
    "пин-код: [[6614]]",
    "我的PIN码是[[8823]]",
    "暗証番号は[[5901]]です",
    "비밀번호는 [[7733]]",
    "My bank PIN is [[482913]]",
};

}  // namespace

void add_told(std::vector<Secret>& out) {
  for (const char* text : kPasswords) out.push_back(marked("passwords", text));
  for (const char* text : kPins) out.push_back(marked("PINs", text));
}

}  // namespace kartei::secrets::corpus
