/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The libxml2 side of an XML document, and the proof that the scanner saw the same one. Nothing
 * is fetched, no entity is defined, and a document type is refused before it is read.
 */
#include "formats/xml.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include <libxml/parser.h>
#include <libxml/parserInternals.h>

#include "core/checked.h"
#include "core/limits.h"
#include "core/str.h"
#include "formats/xml_scan.h"

void
gold_xml_free(struct gold_xml *x)
{
    if (!x)
        return;
    xmlFreeDoc(x->doc);
    free(x->spans);
    free(x->attributes);
    free(x);
}

const struct gold_xml_span *
gold_xml_span_of(const struct gold_xml *x, const xmlNode *element)
{
    uintptr_t index = (uintptr_t)element->_private;
    return index > 0 && index <= x->n_spans ? &x->spans[index - 1] : NULL;
}

/* What a parse run tells its callbacks. */
struct run {
    const char *name;
    struct gold_error *error; /* the first fatal one */
    bool doctype;
};

static void
on_error(void *data, xmlErrorPtr e)
{
    const xmlParserCtxt *parser = data;
    struct run *run = parser->_private;

    /* Like libvirt: an undeclared namespace prefix is no reason to refuse a file. */
    if (e->level < XML_ERR_FATAL || run->error || run->doctype)
        return;
    const char *text = e->message ? e->message : "not well-formed";
    size_t len = strcspn(text, "\n");
    while (len > 0 && (text[len - 1] == '.' || text[len - 1] == ' '))
        len--;
    gold_error_set(&run->error, GOLD_ERROR_FORMAT, "%s:%d: %.*s", run->name,
                   e->line > 0 ? e->line : 1, (int)len, text);
}

static void
on_doctype(void *data, const xmlChar *root, const xmlChar *external, const xmlChar *system)
{
    xmlParserCtxt *parser = data;
    struct run *run = parser->_private;

    (void)root;
    (void)external;
    (void)system;
    run->doctype = true;
    if (!run->error)
        gold_error_set(&run->error, GOLD_ERROR_FORMAT,
                       "%s:%d: a document type (DOCTYPE) is not accepted here", run->name,
                       parser->input ? parser->input->line : 1);
    xmlStopParser(parser);
}

/* libxml2 reports some failures of its character conversion past the parser, to the thread's
 * handler, and prints them when there is none. */
static void
swallow(void *data, xmlErrorPtr e)
{
    (void)data;
    (void)e;
}

static int
parse_tree(struct gold_xml *x, const char *name, struct gold_error **err)
{
    struct run run = {.name = name};
    int len;

    if (!gold_narrow(x->len, &len)) {
        gold_error_set(err, GOLD_ERROR_UNSUPPORTED, "'%s' is too large", name);
        return -1;
    }
    xmlParserCtxt *parser = xmlNewParserCtxt();
    if (!parser)
        return gold_error_set_nomem(err);
    parser->_private = &run;
    parser->sax->serror = on_error;
    parser->sax->internalSubset = on_doctype;
    xmlStructuredErrorFunc handler = xmlStructuredError;
    void *handler_data = xmlStructuredErrorContext;
    xmlSetStructuredErrorFunc(NULL, swallow);
    xmlDoc *doc = xmlCtxtReadMemory(parser, x->text, len, NULL, NULL,
                                    XML_PARSE_NONET | XML_PARSE_BIG_LINES | XML_PARSE_NOERROR |
                                        XML_PARSE_NOWARNING);
    xmlSetStructuredErrorFunc(handler_data, handler);
    bool nomem = parser->errNo == XML_ERR_NO_MEMORY,
         good = doc && parser->wellFormed && !run.error;
    xmlFreeParserCtxt(parser);
    if (good) {
        x->doc = doc;
        return 0;
    }
    xmlFreeDoc(doc);
    if (nomem) {
        gold_error_free(run.error);
        return gold_error_set_nomem(err);
    }
    if (!run.error)
        gold_error_set(&run.error, GOLD_ERROR_FORMAT, "%s:1: not well-formed XML", name);
    gold_error_move(err, &run.error);
    return -1;
}

static int
disagree(const char *name, unsigned line, struct gold_error **err)
{
    gold_error_set(err, GOLD_ERROR_UNSUPPORTED,
                   "%s:%u: the place of an element could not be determined", name, line);
    return -1;
}

static bool
same_name(const struct gold_xml *x, size_t at, size_t len, const xmlNs *ns,
          const xmlChar *local)
{
    const char *raw = x->text + at, *prefix = ns && ns->prefix ? (const char *)ns->prefix : "";
    size_t prefix_len = strlen(prefix), local_len = strlen((const char *)local);

    for (size_t i = 0; i < len; i++) {
        if ((unsigned char)raw[i] >= 0x80)
            return true; /* in the file's encoding; the tree is UTF-8 */
    }
    if (prefix_len > 0) {
        if (len < prefix_len + 1 || memcmp(raw, prefix, prefix_len) != 0 ||
            raw[prefix_len] != ':')
            return false;
        raw += prefix_len + 1;
        len -= prefix_len + 1;
    }
    return len == local_len && memcmp(raw, local, len) == 0;
}

static bool
declares_namespace(const char *name, size_t len)
{
    return (len == 5 && memcmp(name, "xmlns", 5) == 0) ||
           (len > 6 && memcmp(name, "xmlns:", 6) == 0);
}

static bool
same_attributes(const struct gold_xml *x, const struct gold_xml_span *span, const xmlNode *node)
{
    const xmlAttr *attr = node->properties;
    size_t n_declared = 0, n_ns = 0;

    for (size_t i = 0; i < span->n_attributes; i++) {
        const struct gold_xml_attribute *a = &x->attributes[span->first_attribute + i];
        if (declares_namespace(x->text + a->name, a->name_len)) {
            n_declared++;
            continue;
        }
        if (!attr || !same_name(x, a->name, a->name_len, attr->ns, attr->name))
            return false;
        attr = attr->next;
    }
    /* libxml2 leaves out a declaration that says nothing, such as xmlns:xml. */
    for (const xmlNs *ns = node->nsDef; ns; ns = ns->next)
        n_ns++;
    return !attr && n_ns <= n_declared;
}

static size_t
next_tag(const struct gold_xml *x, size_t i)
{
    while (i < x->n_spans && x->spans[i].kind != GOLD_XML_START_TAG &&
           x->spans[i].kind != GOLD_XML_END_TAG && x->spans[i].kind != GOLD_XML_EMPTY_TAG)
        i++;
    return i;
}

static xmlNode *
next_element(xmlNode *node)
{
    while (node && node->type != XML_ELEMENT_NODE)
        node = node->next;
    return node;
}

/* Walks tree and spans together and notes in each element where its tag is. */
static int
lockstep(struct gold_xml *x, const char *name, struct gold_error **err)
{
    xmlNode *node = xmlDocGetRootElement(x->doc), *parent = NULL;
    size_t i = next_tag(x, 0);

    while (node || parent) {
        if (i >= x->n_spans)
            return disagree(name, 1, err);
        const struct gold_xml_span *span = &x->spans[i];
        if (!node) { /* no more children: the end tag of the parent */
            if (span->kind != GOLD_XML_END_TAG ||
                gold_xml_span_of(x, parent) != &x->spans[span->match])
                return disagree(name, span->line, err);
            node = next_element(parent->next);
            parent = parent->parent && parent->parent->type == XML_ELEMENT_NODE ? parent->parent
                                                                                : NULL;
            if (!parent)
                node = NULL;
        } else {
            if (span->kind == GOLD_XML_END_TAG ||
                !same_name(x, span->name, span->name_len, node->ns, node->name) ||
                !same_attributes(x, span, node))
                return disagree(name, span->line, err);
            node->_private = (void *)(uintptr_t)(i + 1);
            if (span->kind == GOLD_XML_START_TAG) {
                parent = node;
                node = next_element(node->children);
            } else if (node->children) {
                return disagree(name, span->line, err);
            } else {
                node = parent ? next_element(node->next) : NULL;
            }
        }
        i = next_tag(x, i + 1);
    }
    return i < x->n_spans ? disagree(name, x->spans[i].line, err) : 0;
}

/* Only encodings in which an ASCII byte always is that character: there the scanner cannot be
 * misled. */
static bool
encoding_is_plain(const char *encoding)
{
    static const char *const plain[] = {
        "UTF-8",  "UTF8",    "US-ASCII",    "ASCII", "ISO-8859-", "ISO_8859-", "ISO8859-",
        "LATIN1", "LATIN-1", "WINDOWS-125", "CP125", "KOI8-R",    "KOI8-U"};

    for (size_t i = 0; i < sizeof(plain) / sizeof(plain[0]); i++) {
        size_t n = strlen(plain[i]);
        if (strncasecmp(encoding, plain[i], n) == 0) {
            bool family = plain[i][n - 1] == '-' || plain[i][n - 1] == '5';
            return family ? isdigit((unsigned char)encoding[n]) != 0 : encoding[n] == '\0';
        }
    }
    return false;
}

static int
refuse_encoding(const char *name, const char *encoding, struct gold_error **err)
{
    gold_error_set(err, GOLD_ERROR_UNSUPPORTED, "'%s' is encoded in %s, which is not supported",
                   name, encoding);
    gold_error_hint(err, "convert it to UTF-8 first, for example with iconv");
    return -1;
}

static const char *
wide_encoding(const char *text, size_t len)
{
    const unsigned char *b = (const unsigned char *)text;

    if (len >= 4 && ((b[0] == 0xFF && b[1] == 0xFE && b[2] == 0 && b[3] == 0) ||
                     (b[0] == 0 && b[1] == 0 && b[2] == 0xFE && b[3] == 0xFF) ||
                     (b[0] == '<' && b[1] == 0 && b[2] == 0 && b[3] == 0) ||
                     (b[0] == 0 && b[1] == 0 && b[2] == 0 && b[3] == '<')))
        return "UTF-32";
    if (len >= 2 && ((b[0] == 0xFF && b[1] == 0xFE) || (b[0] == 0xFE && b[1] == 0xFF) ||
                     (b[0] == '<' && b[1] == 0) || (b[0] == 0 && b[1] == '<')))
        return "UTF-16";
    return NULL;
}

/* What can be said from the bytes alone, before anything is built from them. */
static int
look_at_bytes(const char *name, const char *text, size_t len, struct gold_error **err)
{
    size_t at = 0;
    unsigned line = 1;

    if (len > GOLD_LIMIT_DEFINITION) {
        gold_error_set(err, GOLD_ERROR_FORMAT, "'%s' is larger than %llu bytes", name,
                       GOLD_LIMIT_DEFINITION);
        return -1;
    }
    const char *wide = wide_encoding(text, len);
    if (wide)
        return refuse_encoding(name, wide, err);
    const char *nul = memchr(text, '\0', len);
    if (nul) {
        for (const char *c = text; c < nul; c++)
            line += *c == '\n';
        gold_error_set(err, GOLD_ERROR_FORMAT, "%s:%u: a NUL byte: this is not XML", name,
                       line);
        return -1;
    }
    if (len >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0)
        at = 3;
    while (at < len && strchr(" \t\r\n", text[at]))
        line += text[at++] == '\n';
    if (at == len) {
        gold_error_set(err, GOLD_ERROR_FORMAT, "'%s' is empty", name);
        return -1;
    }
    if (text[at] != '<') {
        gold_error_set(err, GOLD_ERROR_FORMAT, "%s:%u: this is not XML", name, line);
        return -1;
    }
    return 0;
}

struct gold_xml *
gold_xml_parse(const char *name, const char *text, size_t len, struct gold_error **err)
{
    GOLD_CLEANUP_XML struct gold_xml *x = NULL;
    GOLD_CLEANUP_ERROR struct gold_error *scan_error = NULL;

    if (look_at_bytes(name, text, len, err) < 0)
        return NULL;
    x = calloc(1, sizeof(*x));
    if (!x) {
        (void)gold_error_set_nomem(err);
        return NULL;
    }
    x->text = text;
    x->len = len;
    /* Caps are enforced before libxml2 builds a tree; of what is not well-formed libxml2 tells
     * more. */
    int scanned = gold_xml_scan(x, name, &scan_error);
    if (scanned < 0 && gold_error_code(scan_error) != GOLD_ERROR_FORMAT) {
        gold_error_move(err, &scan_error);
        return NULL;
    }
    if (parse_tree(x, name, err) < 0)
        return NULL;
    if (x->doc->encoding && !encoding_is_plain((const char *)x->doc->encoding)) {
        (void)refuse_encoding(name, (const char *)x->doc->encoding, err);
        return NULL;
    }
    if (scanned < 0) {
        gold_error_move(err, &scan_error);
        return NULL;
    }
    if (lockstep(x, name, err) < 0)
        return NULL;
    return gold_steal_ptr(&x);
}
