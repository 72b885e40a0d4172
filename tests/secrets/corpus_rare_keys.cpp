// One key of each kind that the table of service keys knows and corpus_keys.cpp has none of.
// Prefixes stand here in pieces.
#include "store/secrets/checks.h"
#include "tests/secrets/corpus_parts.h"

namespace kartei::secrets::corpus {
namespace {

constexpr const char* kAwsLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

// clang-format off
std::vector<std::string> clouds(Generator& g) {
  return {
      "AB" + ("IA" + g.of(kAwsLetters, 16)),
      "AC" + ("CA" + g.of(kAwsLetters, 16)),
      "AB" + ("SKQmVkcm9ja0FQSUtleS" + g.base64(112)),
      "ya" + ("29.c.b0A" + g.url64(80)),
      "1/" + ("/0" + g.url64(60)),
      "https://olga.blob.core.windows.net/photos?sv=2024-05-04&sr=c&sp=r&[[s" + ("ig=" + g.word(9) + "%2B" + g.word(20) + "%2F" + g.word(12) + "%3D]]"),
      "https://olga.blob.core.windows.net/photos?sv=2024-05-04&sr=c&sp=r&[[s" + ("ig=" + g.base64(43) + "=]]"),
      "Endpoint=sb://olga.servicebus.windows.net/;SharedAccessKeyName=root;[[SharedAccess" + ("Key=" + g.base64(43) + "=]]"),
      "doo" + ("_v1_" + g.hex(64)),
      "dor" + ("_v1_" + g.hex(64)),
      "AK" + ("ID" + g.word(32)),
      "AQ" + ("VN" + g.url64(36)),
      "HR" + ("KU-AA" + g.url64(58)),
      "Fly" + ("V1 fm2_" + g.base64(160)),
      "fm" + ("2_" + g.base64(160)),
      "fo" + ("1_" + g.url64(43)),
      "rn" + ("d_" + g.word(32)),
      "nf" + ("p_" + g.word(36)),
      "v1" + (".0-" + g.hex(24) + "-" + g.hex(146)),
      "hv" + ("b.AAAAAQ" + g.url64(140)),
      "hv" + ("r.CAES" + g.url64(80)),
      "op" + ("s_eyJ" + g.base64(320)),
      "A3" + ("-" + g.upper(6) + "-" + g.upper(6) + "-" + g.upper(5) + "-" + g.upper(5) + "-" + g.upper(5) + "-" + g.upper(5)),
      "A3" + ("-" + g.upper(6) + "-" + g.upper(11) + "-" + g.upper(5) + "-" + g.upper(5) + "-" + g.upper(5)),
  };
}

std::string github(Generator& g, std::string prefix) {
  const std::string random = g.word(30);
  return std::move(prefix) + random + base62_crc32(random);
}

std::vector<std::string> code(Generator& g) {
  return {
      github(g, "gh" + std::string("u_")),
      github(g, "gh" + std::string("r_")),
      "gl" + ("ptt-" + g.hex(40)),
      "gl" + ("cbt-64_" + g.url64(20)),
      "gl" + ("soat-" + g.url64(20)),
      "gl" + ("ft-" + g.url64(20)),
      "gl" + ("imt-" + g.url64(25)),
      "gl" + ("agent-" + g.url64(50)),
      "gl" + ("oas-" + g.hex(64)),
      "GR" + ("1348941" + g.url64(20)),
      "AT" + ("BB" + g.word(32)),
      "AT" + ("ATT3xFfGF0" + g.url64(176) + "=" + g.upper(8)),
      "AT" + ("CTT3xFfGN0" + g.url64(176) + "=" + g.upper(8)),
      "ci" + ("o" + g.word(32)),
      "oy" + ("2" + g.lower(43)),
      "CLO" + ("JARS_" + g.hex(60)),
      "dckr" + ("_oat_" + g.url64(32)),
      "AK" + ("Cp8" + g.word(68)),
      "cm" + ("VmdGtuOjAxO" + g.word(51)),
      "bk" + ("ua_" + g.hex(40)),
      "CCI" + ("PAT_" + g.word(22) + "_" + g.hex(40)),
      "sq" + ("u_" + g.hex(40)),
      "sq" + ("p_" + g.hex(40)),
      "sq" + ("a_" + g.hex(40)),
      "sg" + ("p_" + g.hex(40)),
      "sg" + ("p_" + g.hex(16) + "_" + g.hex(40)),
      "pn" + ("u_" + g.word(36)),
      "rd" + ("me_" + g.lower(70)),
  };
}

std::vector<std::string> models_and_talk(Generator& g) {
  return {
      "sk-" + ("svcacct-" + g.url64(120)),
      "sk-" + ("admin-" + g.url64(120)),
      "api" + ("_org_" + g.word(34)),
      "nv" + ("api-" + g.url64(64)),
      "ls" + ("v2_pt_" + g.hex(32) + "_" + g.hex(10)),
      "ls" + ("v2_sk_" + g.hex(32) + "_" + g.hex(10)),
      "tv" + ("ly-dev-" + g.word(32)),
      "sk" + ("_" + g.hex(48)),
      "xo" + ("xe-1-" + g.word(146)),
      "xo" + ("xe.xoxp-1-" + g.word(160)),
      "xo" + ("xa-2-" + g.digits(12) + "-" + g.digits(12) + "-" + g.hex(32)),
      "xo" + ("xr-" + g.digits(12) + "-" + g.digits(12) + "-" + g.word(24)),
      "xo" + ("xs-" + g.digits(11) + "-" + g.digits(11) + "-" + g.hex(10)),
      "xo" + ("xc-" + g.digits(12) + "-" + g.digits(12) + "-" + g.digits(13) + "-" + g.hex(64)),
      "https://[[discordapp.com/" + ("api/webhooks/" + g.digits(18) + "/" + g.url64(68) + "]]"),
      "re" + ("_" + g.word(8) + "_" + g.word(24)),
      "EA" + ("A" + g.word(170)),
  };
}

std::vector<std::string> money(Generator& g) {
  return {
      "sk_" + ("prod_" + g.word(32)),
      "rk_" + ("prod_" + g.word(32)),
      "rk_" + ("test_" + g.word(32)),
      "sq0" + ("atp-" + g.url64(22)),
      "EA" + ("AA" + g.url64(60)),
      "access_token" + ("$production$" + g.lower(16) + "$" + g.hex(32)),
      "access-" + ("production-" + g.uuid()),
      "FLW" + ("SECK-" + g.hex(32) + "-X"),
      "shp" + ("ca_" + g.hex(32)),
      "shp" + ("pa_" + g.hex(32)),
      "shp" + ("ss_" + g.hex(32)),
      "EZ" + ("AK" + g.word(54)),
      "shippo" + ("_live_" + g.hex(40)),
      "duffel" + ("_live_" + g.url64(43)),
  };
}

std::vector<std::string> data_and_work(Generator& g) {
  return {
      "pscale" + ("_tkn_" + g.url64(43)),
      "pscale" + ("_pw_" + g.url64(43)),
      "pscale" + ("_oauth_" + g.url64(43)),
      "sb_" + ("secret_" + g.url64(22) + "_" + g.word(8)),
      "gl" + ("c_eyJ" + g.base64(140)),
      "ey" + ("JrIjoi" + g.word(84)),
      "sn" + ("trys_eyJpYXQiOj" + g.base64(120) + "==_" + g.base64(43)),
      "dt" + ("0c01." + g.upper(24) + "." + g.upper(64)),
      "dt" + ("0s01." + g.upper(8) + "." + g.upper(64)),
      "dp" + (".st.dev." + g.word(43)),
      "ai" + ("o_" + g.word(28)),
      "sk" + (".eyJ" + g.url64(80) + "." + g.url64(22)),
      "waka" + ("_" + g.uuid()),
      "lin" + ("_oauth_" + g.hex(64)),
      "secret" + ("_" + g.word(43)),
      "fi" + ("gu_" + g.url64(40)),
      "sl" + (".B" + g.url64(135)),
      "CFP" + ("AT-" + g.url64(43)),
      "tf" + ("p_" + g.word(44)),
      "sd" + ("k-" + g.uuid()),
  };
}
// clang-format on

}  // namespace

void add_rare_keys(std::vector<Secret>& out) {
  Generator g(20261201);
  std::size_t next = 0;
  for (const auto& keys : {clouds(g), code(g), models_and_talk(g), money(g), data_and_work(g)})
    for (const std::string& key : keys)
      out.push_back(marked("service keys", in_a_sentence(next++, key)));
}

}  // namespace kartei::secrets::corpus
