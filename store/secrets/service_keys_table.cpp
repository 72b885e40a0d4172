// The forms of keys, as their issuers publish them and as public scanners agree on them. A line:
// the prefix, the form behind it, what proves it, its name. The last column of comments is the
// source: "own" the issuer's documentation, "seen" examples in public documentation, "gl" the
// public rules of gitleaks, "th" those of trufflehog. Facts only: no rule's text is taken over.
#include "store/secrets/service_keys.h"

namespace kartei::secrets {
namespace {

constexpr auto kRandom = Proof::kRandom, kJumbled = Proof::kJumbled, kCrc32 = Proof::kCrc32;

// clang-format off
constexpr ServiceKey kKeys[] = {
    // ---- clouds
    {"AKIA", "t{16}", kRandom, "AWS access key"},                        // own: IAM identifiers
    {"ASIA", "t{16}", kRandom, "AWS temporary access key"},              // own
    {"ABIA", "t{16}", kRandom, "AWS service bearer token"},              // own
    {"ACCA", "t{16}", kRandom, "AWS context key"},                       // own
    {"ABSK", "b{109,269}=?=?", kJumbled, "AWS Bedrock key"},             // gl
    {"AIza", "u{35}", kJumbled, "Google API key"},                       // own: API keys
    {"GOCSPX-", "u{28}", kRandom, "Google client secret"},               // seen
    {"ya29.", "u{20,1024}", kJumbled, "Google access token"},            // own: OAuth 2.0
    {"ya29.c.", "u{20,1024}", kJumbled, "Google access token"},          // seen
    {"1//0", "u{40,512}", kJumbled, "Google refresh token"},             // own: OAuth 2.0
    {"AccountKey=", "b{86}==", kJumbled, "Azure storage key"},           // own: connection strings
    {"SharedAccessKey=", "b{43}=", kJumbled, "Azure shared access key"}, // own
    {"sig=", "p{40,80}=?", kJumbled, "Azure shared access signature"},   // own: SAS tokens
    {"dop_v1_", "h{64}", kRandom, "DigitalOcean token"},                 // own
    {"doo_v1_", "h{64}", kRandom, "DigitalOcean OAuth token"},           // own
    {"dor_v1_", "h{64}", kRandom, "DigitalOcean refresh token"},         // own
    {"LTAI", "w{17,24}", kJumbled, "Alibaba access key"},                // gl
    {"AKID", "w{32}", kJumbled, "Tencent secret id"},                    // own
    {"AQVN", "u{35,38}", kJumbled, "Yandex API key"},                    // gl
    {"HRKU-", "u{36,64}", kRandom, "Heroku API key"},                    // gl
    {"FlyV1 fm2_", "b{60,4096}", kJumbled, "Fly.io token"},              // own
    {"fm2_", "b{100,4096}", kJumbled, "Fly.io token"},                   // own
    {"fo1_", "u{43}", kJumbled, "Fly.io token"},                         // own
    {"rnd_", "w{32}", kJumbled, "Render API key"},                       // seen
    {"nfp_", "w{36}", kJumbled, "Netlify token"},                        // own
    {"v1.0-", "h{24}-h{146}", kRandom, "Cloudflare origin key"},         // own
    {"tskey-", "l{3,12}-w{8,24}-w{16,48}", kJumbled, "Tailscale key"},   // own
    {"pul-", "h{40}", kRandom, "Pulumi token"},                          // own
    {"hvs.", "u{24,200}", kJumbled, "Vault token"},                      // own
    {"hvb.", "u{100,400}", kJumbled, "Vault batch token"},               // own
    {"hvr.", "u{24,200}", kJumbled, "Vault recovery token"},             // own
    {"ops_eyJ", "b{200,4096}", kJumbled, "1Password service token"},     // own
    {"A3-", "U{6}-U{6}-U{5}-U{5}-U{5}-U{5}", kRandom, "1Password secret key"},  // own
    {"A3-", "U{6}-U{11}-U{5}-U{5}-U{5}", kRandom, "1Password secret key"},      // own
    // ---- code and packages
    {"ghp_", "w{36}", kCrc32, "GitHub token"},                           // own: token formats
    {"gho_", "w{36}", kCrc32, "GitHub OAuth token"},                     // own
    {"ghu_", "w{36}", kCrc32, "GitHub user token"},                      // own
    {"ghs_", "w{36}", kCrc32, "GitHub server token"},                    // own
    {"ghr_", "w{36,76}", kCrc32, "GitHub refresh token"},                // own
    {"github_pat_", "w{22}_w{59}", kJumbled, "GitHub token"},            // own
    {"glpat-", "a{20,310}", kJumbled, "GitLab token"},                   // own
    {"glptt-", "h{40}", kRandom, "GitLab trigger token"},                // own
    {"gldt-", "u{20}", kJumbled, "GitLab deploy token"},                 // own
    {"glrt-", "a{20,310}", kJumbled, "GitLab runner token"},             // own
    {"glcbt-", "w{1,5}_u{20}", kJumbled, "GitLab job token"},            // own
    {"glsoat-", "u{20}", kJumbled, "GitLab SCIM token"},                 // own
    {"glft-", "u{20}", kJumbled, "GitLab feed token"},                   // own
    {"glimt-", "u{25}", kJumbled, "GitLab mail token"},                  // own
    {"glagent-", "u{50}", kJumbled, "GitLab agent token"},               // own
    {"gloas-", "u{64}", kRandom, "GitLab application secret"},           // own
    {"GR1348941", "u{20}", kJumbled, "GitLab runner registration token"},  // own
    {"ATBB", "w{32}", kJumbled, "Bitbucket app password"},               // own
    {"ATATT3", "u{100,260}=?w{0,8}", kJumbled, "Atlassian API token"},   // own
    {"ATCTT3", "u{100,260}=?w{0,8}", kJumbled, "Atlassian access token"},  // own
    {"npm_", "w{36}", kCrc32, "npm token"},                              // own
    {"pypi-AgE", "u{50,1000}", kJumbled, "PyPI token"},                  // own
    {"rubygems_", "h{48}", kRandom, "RubyGems key"},                     // own
    {"cio", "w{32}", kJumbled, "crates.io token"},                       // own
    {"oy2", "l{43}", kJumbled, "NuGet key"},                             // gl
    {"CLOJARS_", "w{60}", kRandom, "Clojars token"},                     // own
    {"dckr_pat_", "u{27}", kJumbled, "Docker Hub token"},                // own
    {"dckr_oat_", "u{32}", kJumbled, "Docker Hub token"},                // own
    {"AKCp", "w{69}", kJumbled, "Artifactory key"},                      // gl
    {"cmVmd", "w{59}", kJumbled, "Artifactory token"},                   // gl
    {"bkua_", "h{40}", kRandom, "Buildkite token"},                      // own
    {"CCIPAT_", "w{22}_h{40}", kRandom, "CircleCI token"},               // own
    {"squ_", "h{40}", kRandom, "Sonar token"},                           // own
    {"sqp_", "h{40}", kRandom, "Sonar project token"},                   // own
    {"sqa_", "h{40}", kRandom, "Sonar analysis token"},                  // own
    {"sgp_", "h{40}", kRandom, "Sourcegraph token"},                     // own
    {"sgp_", "w{5,16}_h{40}", kRandom, "Sourcegraph token"},             // own
    {"PMAK-", "h{24}-h{34}", kRandom, "Postman key"},                    // own
    {"pnu_", "w{36}", kJumbled, "Prefect key"},                          // gl
    {"rdme_", "l{70}", kRandom, "ReadMe key"},                           // gl
    // ---- models
    {"sk-proj-", "u{40,220}", kJumbled, "OpenAI key"},                   // own
    {"sk-svcacct-", "u{40,220}", kJumbled, "OpenAI key"},                // own
    {"sk-admin-", "u{40,220}", kJumbled, "OpenAI key"},                  // own
    {"sk-ant-", "u{40,220}", kJumbled, "Anthropic key"},                 // own
    {"sk-or-v1-", "h{64}", kRandom, "OpenRouter key"},                   // own
    {"sk-", "u{32,220}", kJumbled, "API key (sk-)"},                     // seen: several issuers
    {"gsk_", "w{52}", kJumbled, "Groq key"},                             // seen
    {"xai-", "w{80}", kJumbled, "xAI key"},                              // seen
    {"pplx-", "w{48}", kJumbled, "Perplexity key"},                      // gl
    {"r8_", "w{37}", kJumbled, "Replicate token"},                       // own
    {"hf_", "w{34,40}", kJumbled, "Hugging Face token"},                 // own
    {"api_org_", "w{34}", kJumbled, "Hugging Face token"},               // gl
    {"nvapi-", "u{60,70}", kJumbled, "NVIDIA key"},                      // seen
    {"lsv2_pt_", "h{32}_h{10}", kRandom, "LangSmith key"},               // own
    {"lsv2_sk_", "h{32}_h{10}", kRandom, "LangSmith key"},               // own
    {"tvly-", "u{32,64}", kJumbled, "Tavily key"},                       // seen
    {"sk_", "h{48}", kRandom, "ElevenLabs key"},                         // seen
    // ---- talk
    {"xoxb-", "u{20,300}", kJumbled, "Slack bot token"},                 // own
    {"xoxp-", "u{20,300}", kJumbled, "Slack user token"},                // own
    {"xoxe-", "u{20,300}", kJumbled, "Slack refresh token"},             // own
    {"xoxe.xox", "u{20,300}", kJumbled, "Slack token"},                  // own
    {"xoxa-", "u{20,300}", kJumbled, "Slack workspace token"},           // own
    {"xoxr-", "u{20,300}", kJumbled, "Slack refresh token"},             // own
    {"xoxs-", "u{20,300}", kJumbled, "Slack session token"},             // own
    {"xoxc-", "u{20,300}", kJumbled, "Slack client token"},              // seen
    {"xapp-", "d-U{8,14}-d{8,16}-l{32,80}", kJumbled, "Slack app token"},  // own
    {"hooks.slack.com/services/", "U{8,14}/U{8,14}/w{20,30}", kJumbled, "Slack webhook"},  // own
    {"discord.com/api/webhooks/", "d{17,20}/u{60,72}", kJumbled, "Discord webhook"},       // own
    {"discordapp.com/api/webhooks/", "d{17,20}/u{60,72}", kJumbled, "Discord webhook"},    // own
    {"SK", "h{32}", kRandom, "Twilio API key"},                          // own
    {"SG.", "u{16,32}.u{32,64}", kJumbled, "SendGrid key"},              // own
    {"key-", "h{32}", kRandom, "Mailgun key"},                           // own
    {"xkeysib-", "h{64}-w{16}", kRandom, "Brevo key"},                   // own
    {"re_", "w{8}_w{24}", kJumbled, "Resend key"},                       // own
    {"EAA", "w{100,400}", kJumbled, "Facebook access token"},            // own
    // ---- money
    {"sk_live_", "w{16,247}", kRandom, "Stripe key"},                    // own
    {"sk_test_", "w{16,247}", kRandom, "Stripe test key"},               // own
    {"sk_prod_", "w{16,247}", kRandom, "Stripe key"},                    // gl
    {"rk_live_", "w{16,247}", kRandom, "Stripe restricted key"},         // own
    {"rk_test_", "w{16,247}", kRandom, "Stripe test key"},               // own
    {"rk_prod_", "w{16,247}", kRandom, "Stripe restricted key"},         // gl
    {"whsec_", "b{24,80}=?=?", kJumbled, "webhook secret"},              // own: Stripe, Svix, Clerk
    {"sq0atp-", "u{22}", kJumbled, "Square token"},                      // own
    {"sq0csp-", "u{43}", kJumbled, "Square secret"},                     // own
    {"EAAA", "u{60}", kJumbled, "Square token"},                         // own
    {"access_token$production$", "l{16}$h{32}", kRandom, "Braintree token"},  // own
    {"access-production-", "h{8}-h{4}-h{4}-h{4}-h{12}", kRandom, "Plaid token"},  // own
    {"FLWSECK-", "w{32,40}-?X?", kRandom, "Flutterwave key"},            // own
    {"shpat_", "H{32}", kRandom, "Shopify token"},                       // own
    {"shpca_", "H{32}", kRandom, "Shopify token"},                       // own
    {"shppa_", "H{32}", kRandom, "Shopify token"},                       // own
    {"shpss_", "H{32}", kRandom, "Shopify secret"},                      // own
    {"EZAK", "w{54}", kJumbled, "EasyPost key"},                         // own
    {"shippo_live_", "h{40}", kRandom, "Shippo token"},                  // own
    {"duffel_live_", "u{43}", kJumbled, "Duffel token"},                 // own
    {"xprv", "w{107}", kJumbled, "Bitcoin extended private key"},        // BIP 32
    {"AGE-SECRET-KEY-1", "x{58}", kRandom, "age secret key", Kind::kPrivateKey},  // own: age's spec
    // ---- data and watching
    {"dapi", "h{32}-?d?", kRandom, "Databricks token"},                      // own
    {"pscale_tkn_", "a{32,64}", kJumbled, "PlanetScale token"},          // own
    {"pscale_pw_", "a{32,64}", kJumbled, "PlanetScale password"},        // own
    {"pscale_oauth_", "a{32,64}", kJumbled, "PlanetScale token"},        // own
    {"sbp_", "h{40}", kRandom, "Supabase token"},                        // own
    {"sb_secret_", "u{22,64}", kJumbled, "Supabase secret key"},         // own
    {"glsa_", "w{32}_H{8}", kJumbled, "Grafana token"},                  // own
    {"glc_", "b{32,400}", kJumbled, "Grafana Cloud token"},              // own
    {"eyJrIjoi", "w{60,400}", kJumbled, "Grafana key"},                  // own
    {"NRAK-", "U{27}", kRandom, "New Relic key"},                        // own
    {"sntrys_", "b{60,600}=?=?_?b{0,43}", kJumbled, "Sentry token"},     // own
    {"sntryu_", "h{64}", kRandom, "Sentry token"},                       // own
    {"dt0c01.", "U{24}.U{64}", kRandom, "Dynatrace token"},              // own
    {"dt0s01.", "U{8}.U{64}", kRandom, "Dynatrace token"},               // own
    {"dp.pt.", "w{40,44}", kJumbled, "Doppler token"},                   // own
    {"dp.st.", "a{40,80}", kJumbled, "Doppler service token"},           // own
    {"aio_", "w{28}", kJumbled, "Adafruit key"},                         // own
    {"sk.eyJ", "u{40,300}.u{20,60}", kJumbled, "Mapbox secret token"},   // own
    {"waka_", "h{8}-h{4}-h{4}-h{4}-h{12}", kRandom, "WakaTime key"},     // own
    // ---- work
    {"lin_api_", "w{40}", kJumbled, "Linear key"},                       // own
    {"lin_oauth_", "h{64}", kRandom, "Linear token"},                    // own
    {"secret_", "w{43}", kJumbled, "Notion token"},                      // own
    {"ntn_", "w{46}", kJumbled, "Notion token"},                         // own
    {"pat", "w{14}.h{64}", kRandom, "Airtable token"},                   // own
    {"figd_", "u{40,60}", kJumbled, "Figma token"},                      // own
    {"figu_", "u{40,60}", kJumbled, "Figma token"},                      // own
    {"sl.", "u{100,300}", kJumbled, "Dropbox token"},                    // own
    {"CFPAT-", "u{43}", kJumbled, "Contentful token"},                   // own
    {"tfp_", "a{40,60}", kJumbled, "Typeform token"},                    // own
    {"sdk-", "h{8}-h{4}-h{4}-h{4}-h{12}", kRandom, "LaunchDarkly key"},  // own
};
// clang-format on

}  // namespace

std::span<const ServiceKey> service_keys() {
  return kKeys;
}

}  // namespace kartei::secrets
