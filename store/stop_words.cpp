// Function words, folded (no diacritics), one tongue a string. They say in which tongue a text is,
// and carry no weight in a search.
#include <array>
#include <vector>

#include "store/words.h"

namespace kartei::store {
namespace {

constexpr std::array<std::string_view, kLanguages> kStopWords = {
    // English
    "a about above after again all also am an and any are as at be because been before being below"
    " between both but by can cannot could d did do does doing don done down during each either "
    "else"
    " ever few for from further had has have having he her here hers herself him himself his how i "
    "if"
    " in into is it its itself just ll let m may me might more most much must my myself no nor not "
    "now"
    " of off on once only or other our ours ourselves out over own please quite rather re s same "
    "shall"
    " she should so some such t than that the their theirs them themselves then there these they "
    "this"
    " those through to too under until up upon us ve very was we were what when where whether which"
    " while who whom whose why will with would yes yet you your yours yourself yourselves",
    // German
    "aber alle allem allen aller alles als also am an ander andere anderen auch auf aus bei beim "
    "bin"
    " bis bist da damit dann das dass dein deine dem den denn der des dessen dich die dies diese "
    "dieser"
    " dieses dir doch dort du durch ein eine einem einen einer eines er es etwas euch euer eure fur"
    " gegen gewesen hab habe haben hat hatte hatten hier hin hinter ich ihm ihn ihnen ihr ihre "
    "ihrem"
    " ihren ihrer im in ins ist ja jede jedem jeden jeder jedes jetzt kann kein keine konnen konnte"
    " mal man mein meine meinem meinen meiner mich mir mit muss nach nein nicht nichts noch nun "
    "nur ob"
    " oder ohne sehr sein seine seinem seinen seiner seit selbst sich sie sind so soll sondern "
    "sonst"
    " uber um und uns unser unsere unter viel vom von vor wann war waren warum was weil welche "
    "welcher"
    " wem wen wenn wer werde werden wie wieder will wir wird wirst wo wollte wurde wurden zu zum "
    "zur"
    " zwischen",
    // French
    "a ai alors as au aucun aussi autre aux avait avec avez avoir avons c ce cela ces cet cette "
    "chez"
    " comme comment d dans de depuis des donc dont du elle elles en encore entre es est et etaient"
    " etait ete etes etre eu eux fait furent ici il ils j je l la le les leur leurs lors lui m ma "
    "mais"
    " me meme mes moi mon n ne ni nos notre nous on ont ou par parce pas pendant peu peut plus pour"
    " pourquoi qu quand que quel quelle quelles quels qui quoi s sa sans se sera ses si son sont "
    "sous"
    " suis sur t ta te tes toi ton tous tout toute toutes tres tu un une vers vos votre vous y",
    // Spanish
    "a al algo alguna algunas alguno algunos ante antes asi aunque como con contra cual cuales "
    "cuando"
    " cuanto de del desde donde dos durante e el ella ellas ellos en entre era eran eres es esa "
    "esas"
    " ese eso esos esta estaba estan estar estas este esto estos estoy fue fueron ha habia han "
    "hasta"
    " hay he la las le les lo los mas me mi mis muy nada ni no nos nosotros nuestra nuestro o os "
    "otra"
    " otro para pero poco por porque pues que quien quienes se sea ser si sido sin sobre son soy "
    "su sus"
    " tambien tan te tengo ti tiene tienen todo todos tu tus un una uno unos y ya yo",
    // Italian
    "a ad ai al alla alle allo anche ancora avere aveva c che chi ci cio coi col come con cosa cui "
    "d da"
    " dagli dai dal dalla dalle dei del della delle dello di dove e ed era erano essere fa fra gia "
    "gli"
    " ha hai hanno ho i il in io l la le lei li lo loro lui ma me mi mia mie miei mio ne nei nel "
    "nella"
    " nelle nello noi non nostra nostro o ogni per perche piu poi quale quali quando quanto quella"
    " quelle quelli quello questa queste questi questo qui se sei si sia siamo sono sta su sua sue "
    "sui"
    " sul sulla suo suoi ti tra tu tua tuo tutti tutto un una uno vi voi",
    // Portuguese
    "a ainda ao aos aquela aquele aqui as ate com como da das de dela dele deles depois do dos e "
    "ela"
    " elas ele eles em entre era eram essa esse esta estao estar estava estou eu foi foram ha isso "
    "isto"
    " ja la lhe mais mas me mesmo meu meus minha minhas muito na nao nas nem no nos nossa nosso "
    "num numa"
    " o onde os ou para pela pelas pelo pelos por porque qual quando que quem sao se seja sem ser "
    "seu"
    " seus so sua suas tambem te tem tenho ter teu tinha tu tua um uma umas uns voce voces",
    // Dutch
    "aan al alle als altijd ben bij daar dan dat de der deze die dit doch doen door dus een en er "
    "ge"
    " geen had heb hebben heeft hem het hier hij hoe hun ik in is ja je jij jou jouw kan kon "
    "kunnen maar"
    " me meer men met mij mijn moet na naar niet niets nog nu of om omdat ons onze ook op over "
    "reeds te"
    " tegen toch toen tot u uit uw van veel voor waar waarom wanneer want waren was wat we wel "
    "werd wie"
    " wij wil worden wordt zal ze zei zelf zich zij zijn zo zonder zou",
    // Swedish, with Danish and Norwegian
    "af at att av blev bliver da de dei dem den denne der dere deres det detta dette dig din dit "
    "ditt du"
    " eller en er et ett efter eftersom for fra fran ha hade han hans har hende hennes hon hun hur "
    "hva"
    " hvad hvem hvis hvor hvordan hvornar i icke ikke in inte jag jeg kan kommer kunne man med meg "
    "mellan"
    " men mer mig min mina mitt mot mycket nar nej nu ni nogle nu och og ogsa om oss over pa sa "
    "sedan sig"
    " sin sina sitt ska skal skulle som till til ut under upp utan vad var vara varit varje vart "
    "vem vi"
    " vid vil vilka ville vore",
    // Polish, with Czech
    "a aby ale ani az bardzo bez bo by byc byl byla bylo byly byt co czy dla do gdy gdzie go i ich "
    "ich"
    " ile im ja jak jaka jaki jako je jego jej jest jestem jeszcze ji jsem jsou juz kde kdo kdy "
    "kdyz"
    " ktora ktore ktory ktery ktera lub ma mam mi mnie moj moja moze mu na nad nas nasz nic nich "
    "nie nim"
    " niz o od on ona one oni ono oraz po pod podle pro proc przed przez przy s sa se sie sobie ta "
    "tak"
    " takze tam te tego tej ten to tobie tu tutaj ty tylko tym u v w we wiec wszystko z za ze"
    " bude budou jaky jeho jejich jsme jste kam ktere kteri moje moji muj nebo neni proto svuj "
    "tvoje"
    " tvuj uz vas",
    // Russian, with Ukrainian
    "а без би более был была были було быть в вам вас весь во вот все всего всех вы где да даже "
    "для до"
    " его ее если есть еще же за зачем и из или им их к как какая какие какой когда кого кто куда "
    "ли"
    " либо мне может мы на над надо наш не него нее нет ни них но ну о об однако он она они оно от "
    "очень"
    " по под после потому при про с свой себя со так также такой там твой тебя тем то того тоже "
    "только"
    " том тот ты у уже хотя чего чей чем через что чтобы чье эта эти это этот я"
    " мой моя мое мои моего моей моих моем твоя твое твои наша наше наши ваш ваша ваше ваши"
    " або але він вона вони від до з його її коли мій моя ми мені на не який що як та це",
    // Greek
    "αλλα αν απο αυτα αυτη αυτο αυτος για γιατι δε δεν εγω ειμαι ειναι ειχε εκει ενα ενας ενω επι "
    "εσυ"
    " εχει εχω η ηταν θα και καθε κατα κι μας με μεσα μετα μη μην μια μου να ο οι ομως οπου οπως "
    "οτι"
    " ποια ποιος που πολυ προς πως σαν σας σε στη στην στο στον στους τα τη την της τι τις το τον "
    "του"
    " τους των ως",
    // Arabic
    "ابدا اذا الا التي الذي الذين الى اما ان انا انت انه انها او اي اين بعد بعض بين ثم حتي حيث "
    "خلال ذلك"
    " عن عند عندما علي غير في قبل قد كان كانت كل كم كما كيف لا لان لقد لم لماذا لن له لها ما ماذا "
    "متي مع"
    " من منذ هذا هذه هل هم هنا هناك هو هي و يا يكون",
    // Hindi
    "अपना अपनी अपने अब आप इस इसके ई उस उसका उसकी उसके उसे एक और कब कभी कर करता करते करना करने कहाँ कहां का "
    "की"
    " कुछ के को कोई कौन क्या क्यों गई गए गया जब जो तक तब तो था थी थे दिया ने पर बहुत भी मत मुझे में मेरा मेरी मेरे"
    " मैं यह या ये रहा रही रहे लिए लेकिन वह वहाँ वे सकता से हम ही हुआ हुई हुए हूँ है हैं हो होता होती होने",
};

using Mask = std::uint16_t;
constexpr Mask kPairMask = Mask{1} << kLanguages;  // of scripts without spaces
static_assert(kLanguages <= 16);

// Pairs of characters that carry no weight, of Chinese (both scripts), Japanese and Korean: what
// asks, points, joins, or ends a verb.
constexpr std::string_view kFunctionPairs =
    "什么 什麼 么时 麼時 时候 時候 怎么 怎麼 么样 麼樣 为什 為什 哪里 哪裡 在哪 哪儿 哪些 哪个 "
    "哪個 "
    "多少 几个 幾個 是谁 是誰 "
    "谁是 誰是 谁的 誰的 是不 不是 是否 有没 有沒 没有 沒有 可以 我的 你的 他的 她的 它的 我们 "
    "我們 你们 你們 他们 他們 "
    "她们 她們 们的 們的 自己 这个 這個 那个 那個 这些 這些 那些 这里 這裡 那里 那裡 一个 一個 "
    "一些 的是 是的 的吗 的嗎 了吗 了嗎 吗的 "
    "已经 已經 还是 還是 但是 因为 因為 所以 如果 然后 然後 以及 或者 "
    "です ます ました まし した して いる いま ない なか って った たの のか すか ので のは のが "
    "のを のに から まで より "
    "には では とは でも なに 何で 何が 何を 何の は何 どこ いつ だれ 誰が 誰の どれ どの どう "
    "なぜ この その あの これ "
    "それ あれ ここ そこ こと もの ため など "
    "무엇 무슨 뭐예 뭐야 어디 언제 누가 누구 어떤 어떻 떻게 얼마 니다 니까 습니 입니 합니 에서 "
    "에게 으로 하고 하는 했다 "
    "있는 있어 있다 이다 그리 리고 그러 하지 지만 나는 나의 내가 우리";

// Which tongues have the word as a function word, one bit each. Asked for every word of every
// text: a word is looked for by its ends and its length, and most are none.
class StopTable {
 public:
  StopTable() {
    for (std::size_t i = 0; i < kLanguages; ++i) add_all(kStopWords[i], static_cast<Mask>(1U << i));
    add_all(kFunctionPairs, kPairMask);
  }
  Mask mask(std::string_view word) const {
    for (std::size_t place = place_of(word); slots_[place] != 0; place = (place + 1) % kSlots) {
      const Entry& entry = entries_[slots_[place] - 1U];
      if (entry.word == word) return entry.mask;
    }
    return 0;
  }

 private:
  struct Entry {
    std::string_view word;
    Mask mask = 0;
  };
  void add_all(std::string_view words, Mask mask) {
    while (!words.empty()) {
      const std::size_t space = words.find(' ');
      add(words.substr(0, space), mask);
      words = space == std::string_view::npos ? std::string_view{} : words.substr(space + 1);
    }
  }
  static constexpr std::size_t kSlots = 8192;  // some 1,500 words: most places are empty

  static std::size_t place_of(std::string_view word) {
    if (word.empty()) return 0;
    const auto at = [&](std::size_t i) { return std::size_t{static_cast<unsigned char>(word[i])}; };
    const std::size_t size = word.size();
    const std::size_t hash = at(0) * 961 + at(size / 2) * 3'571 + at(size - 1) * 31 + size * 389 +
                             at(size > 3 ? size - 3 : 0) * 7'919;
    return hash % kSlots;
  }
  void add(std::string_view word, Mask mask) {
    std::size_t place = place_of(word);
    for (; slots_[place] != 0; place = (place + 1) % kSlots) {
      Entry& entry = entries_[slots_[place] - 1U];
      if (entry.word != word) continue;
      entry.mask |= mask;
      return;
    }
    entries_.push_back({word, mask});
    slots_[place] = static_cast<std::uint16_t>(entries_.size());
  }

  std::vector<Entry> entries_;
  std::array<std::uint16_t, kSlots> slots_{};  // place in entries_, plus one
};

const StopTable& stop_table() {
  static const StopTable kTable;
  return kTable;
}

}  // namespace

bool is_stop_word(Language language, std::string_view folded) {
  return (stop_word_mask(folded) >> static_cast<unsigned>(language) & 1U) != 0;
}

bool is_function_pair(std::string_view pair) {
  return (stop_word_mask(pair) & kPairMask) != 0;
}

std::uint16_t stop_word_mask(std::string_view folded) {
  return stop_table().mask(folded);
}

}  // namespace kartei::store
