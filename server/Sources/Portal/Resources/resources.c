#include "PortalResources.h"

// Swift's compiler takes a third of a minute for the same bytes as arrays; clang embeds them at once, and builds again when one of the
// files changes.

static const struct tern_portal_file templates[] = {
    {"alertform.mustache", (const char[]){
#embed "Templates/alertform.mustache" suffix(, 0)
    }},
    {"answertable.mustache", (const char[]){
#embed "Templates/answertable.mustache" suffix(, 0)
    }},
    {"arrival.mustache", (const char[]){
#embed "Templates/arrival.mustache" suffix(, 0)
    }},
    {"builder.mustache", (const char[]){
#embed "Templates/builder.mustache" suffix(, 0)
    }},
    {"builderfield.mustache", (const char[]){
#embed "Templates/builderfield.mustache" suffix(, 0)
    }},
    {"builderpart.mustache", (const char[]){
#embed "Templates/builderpart.mustache" suffix(, 0)
    }},
    {"card.mustache", (const char[]){
#embed "Templates/card.mustache" suffix(, 0)
    }},
    {"cardmenu.mustache", (const char[]){
#embed "Templates/cardmenu.mustache" suffix(, 0)
    }},
    {"choosers.mustache", (const char[]){
#embed "Templates/choosers.mustache" suffix(, 0)
    }},
    {"dashboard.mustache", (const char[]){
#embed "Templates/dashboard.mustache" suffix(, 0)
    }},
    {"dashboardfull.mustache", (const char[]){
#embed "Templates/dashboardfull.mustache" suffix(, 0)
    }},
    {"dayinput.mustache", (const char[]){
#embed "Templates/dayinput.mustache" suffix(, 0)
    }},
    {"dropped.mustache", (const char[]){
#embed "Templates/dropped.mustache" suffix(, 0)
    }},
    {"empty.mustache", (const char[]){
#embed "Templates/empty.mustache" suffix(, 0)
    }},
    {"error.mustache", (const char[]){
#embed "Templates/error.mustache" suffix(, 0)
    }},
    {"errorgroup.mustache", (const char[]){
#embed "Templates/errorgroup.mustache" suffix(, 0)
    }},
    {"errors.mustache", (const char[]){
#embed "Templates/errors.mustache" suffix(, 0)
    }},
    {"errorstatus.mustache", (const char[]){
#embed "Templates/errorstatus.mustache" suffix(, 0)
    }},
    {"event.mustache", (const char[]){
#embed "Templates/event.mustache" suffix(, 0)
    }},
    {"factorkey.mustache", (const char[]){
#embed "Templates/factorkey.mustache" suffix(, 0)
    }},
    {"find.mustache", (const char[]){
#embed "Templates/find.mustache" suffix(, 0)
    }},
    {"filterrow.mustache", (const char[]){
#embed "Templates/filterrow.mustache" suffix(, 0)
    }},
    {"home.mustache", (const char[]){
#embed "Templates/home.mustache" suffix(, 0)
    }},
    {"keys.mustache", (const char[]){
#embed "Templates/keys.mustache" suffix(, 0)
    }},
    {"layout.mustache", (const char[]){
#embed "Templates/layout.mustache" suffix(, 0)
    }},
    {"limits.mustache", (const char[]){
#embed "Templates/limits.mustache" suffix(, 0)
    }},
    {"lists.mustache", (const char[]){
#embed "Templates/lists.mustache" suffix(, 0)
    }},
    {"live.mustache", (const char[]){
#embed "Templates/live.mustache" suffix(, 0)
    }},
    {"login.mustache", (const char[]){
#embed "Templates/login.mustache" suffix(, 0)
    }},
    {"management.mustache", (const char[]){
#embed "Templates/management.mustache" suffix(, 0)
    }},
    {"occurrence.mustache", (const char[]){
#embed "Templates/occurrence.mustache" suffix(, 0)
    }},
    {"overview.mustache", (const char[]){
#embed "Templates/overview.mustache" suffix(, 0)
    }},
    {"plain.mustache", (const char[]){
#embed "Templates/plain.mustache" suffix(, 0)
    }},
    {"proof.mustache", (const char[]){
#embed "Templates/proof.mustache" suffix(, 0)
    }},
    {"question.mustache", (const char[]){
#embed "Templates/question.mustache" suffix(, 0)
    }},
    {"ranking.mustache", (const char[]){
#embed "Templates/ranking.mustache" suffix(, 0)
    }},
    {"segmentform.mustache", (const char[]){
#embed "Templates/segmentform.mustache" suffix(, 0)
    }},
    {"settings.mustache", (const char[]){
#embed "Templates/settings.mustache" suffix(, 0)
    }},
    {"setup.mustache", (const char[]){
#embed "Templates/setup.mustache" suffix(, 0)
    }},
    {"shared.mustache", (const char[]){
#embed "Templates/shared.mustache" suffix(, 0)
    }},
    {"shell.mustache", (const char[]){
#embed "Templates/shell.mustache" suffix(, 0)
    }},
    {"stream.mustache", (const char[]){
#embed "Templates/stream.mustache" suffix(, 0)
    }},
    {"table.mustache", (const char[]){
#embed "Templates/table.mustache" suffix(, 0)
    }},
    {"thread.mustache", (const char[]){
#embed "Templates/thread.mustache" suffix(, 0)
    }},
    {"tiles.mustache", (const char[]){
#embed "Templates/tiles.mustache" suffix(, 0)
    }},
    {"top.mustache", (const char[]){
#embed "Templates/top.mustache" suffix(, 0)
    }},
    {"trail.mustache", (const char[]){
#embed "Templates/trail.mustache" suffix(, 0)
    }},
    {"unsubscribe.mustache", (const char[]){
#embed "Templates/unsubscribe.mustache" suffix(, 0)
    }},
    {"views.mustache", (const char[]){
#embed "Templates/views.mustache" suffix(, 0)
    }},
    {"welcome.mustache", (const char[]){
#embed "Templates/welcome.mustache" suffix(, 0)
    }},
    {"zone.mustache", (const char[]){
#embed "Templates/zone.mustache" suffix(, 0)
    }},
    {0, 0},
};

static const struct tern_portal_file assets[] = {
    {"builder.js", (const char[]){
#embed "Assets/builder.js" suffix(, 0)
    }},
    {"calendar.js", (const char[]){
#embed "Assets/calendar.js" suffix(, 0)
    }},
    {"charts.js", (const char[]){
#embed "Assets/charts.js" suffix(, 0)
    }},
    {"dashboard.js", (const char[]){
#embed "Assets/dashboard.js" suffix(, 0)
    }},
    {"favicon.svg", (const char[]){
#embed "Assets/favicon.svg" suffix(, 0)
    }},
    {"live.js", (const char[]){
#embed "Assets/live.js" suffix(, 0)
    }},
    {"palette.js", (const char[]){
#embed "Assets/palette.js" suffix(, 0)
    }},
    {"refresh.js", (const char[]){
#embed "Assets/refresh.js" suffix(, 0)
    }},
    {"shell.js", (const char[]){
#embed "Assets/shell.js" suffix(, 0)
    }},
    {"tables.js", (const char[]){
#embed "Assets/tables.js" suffix(, 0)
    }},
    {"dark.css", (const char[]){
#embed "Assets/dark.css" suffix(, 0)
    }},
    {"tern.css", (const char[]){
#embed "Assets/tern.css" suffix(, 0)
    }},
    {0, 0},
};

const struct tern_portal_file *tern_portal_templates(void) { return templates; }
const struct tern_portal_file *tern_portal_assets(void) { return assets; }
