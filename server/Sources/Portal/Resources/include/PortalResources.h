// The portal's templates, styles and scripts, which the build embeds: the program needs no files beside it.

// A file and its text, in UTF-8 and ended by a zero.
struct tern_portal_file {
  const char *name;
  const char *text;
};

// All templates, and all assets. The last element of each has no name.
const struct tern_portal_file *tern_portal_templates(void);
const struct tern_portal_file *tern_portal_assets(void);
