// Tables and diagrams of the reference pages. The prose around them is written by hand.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../set-up/folders.mjs'

/**
 * @typedef {Record<string, any>} Tables
 * @typedef {Record<string, string>} Blocks by the heading of the section that contains the block
 */

/**
 * @param {Tables} tables
 * @returns {Record<string, string>} by path
 */
export function generateDocuments(tables) {
  /** @type {Record<string, Blocks>} */
  const documents = {
    'docs/reference/log-events.md': eventTables(tables),
    'docs/reference/metrics.md': metricTables(tables),
    'docs/link-states.md': {
      States: stateTable(tables),
      'A first link': diagram(tables, 'first', 'authorizing'),
      'A re-link': diagram(tables, 'relink', 'escrowed'),
      'An import': diagram(tables, 'import', 'escrowed'),
    },
  }
  const updated = Object.entries(documents).map(([path, blocks]) => [
    path,
    Object.entries(blocks).reduce(
      (text, [heading, block]) => replaceBlock(text, heading, block),
      readFileSync(join(root, path), 'utf8'),
    ),
  ])
  return {
    ...Object.fromEntries(updated),
    'docs/reference/causes.md': causesPage(tables),
    'docs/reference/errors.md': errorsPage(tables),
  }
}

/**
 * Replaces the first table or diagram of a section.
 * @param {string} text
 * @param {string} heading
 * @param {string} block
 */
function replaceBlock(text, heading, block) {
  const section = new RegExp(
    String.raw`(^## ${heading}\n(?:(?!## |\||${'```'}mermaid).*\n)*)(?:(?:\|.*\n)+|${'```'}mermaid\n(?:(?!${'```'}).*\n)*${'```'}\n)`,
    'm',
  )
  if (!section.test(text)) throw new Error(`no table or diagram below "${heading}"`)
  return text.replace(section, (_, before) => before + block)
}

/** @param {string[][]} rows the first is the head */
const table = ([head = [], ...rows]) =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |\n`).join('')

/** @param {string} text */
const code = (text) => `\`${text}\``

/**
 * One heading per code, so that each code has an address.
 * @param {Tables} tables
 */
const causesPage = ({ causes }) => `# Causes

A cause says why a link or a connection does not work. The code is the same in the return URL, the API, webhooks, pages and the audit log. \`whoseMove\` says who can act. The list grows: handle an unknown code by its \`whoseMove\`.

The texts are for you, and the API sends them with the code. Users read other texts on our pages. \`causeForUser\` of a link or connection has those for your own pages ([What to tell users](../guides/connect-your-users.md#what-to-tell-users)).

${Object.entries(causes).map(causeSection).join('\n')}`

/** @param {[string, any]} entry */
const causeSection = ([name, { whoseMove, title, advice, guide }]) => `## ${code(name)}

**${title}.** ${advice}

Action needed from: ${whoseMove}. Guide: [${guideTitle(guide)}](../guides/${guide})
`

/** @param {string} guide */
function guideTitle(guide) {
  const [file = ''] = guide.split('#')
  return /^# (.+)$/m.exec(readFileSync(join(root, 'docs/guides', file), 'utf8'))?.[1]
}

/** @param {Tables} tables */
const errorsPage = ({ failures }) => `# Errors

A rejected request gets a problem (RFC 9457, \`application/problem+json\`). Its \`type\` is the address of the error on this page. \`errors\` points to members of your request by JSON pointer, and names parameters and headers. \`whoseMove\` says who has to act before the same request can succeed. \`Retry-After\` says how many seconds to wait before you retry a 429 or 503.

${Object.entries(failures).map(errorSection).join('\n')}`

/** @param {[string, any]} entry */
const errorSection = ([name, { status, whoseMove, title, explanation }]) => `## ${code(name)}

**${status}: ${title}.** ${explanation}

Action needed from: ${whoseMove}.
`

/** @param {Tables} tables */
function eventTables({ kitEvents, onboardingEvents, platformEvents }) {
  /** @param {Tables} events */
  const eventTable = (events) =>
    table([
      ['event', 'level', 'when'],
      ...Object.entries(events).map(([event, { level, description }]) => [code(event), code(level), description]),
    ])
  /** @param {Tables} events */
  const own = (events) => Object.fromEntries(Object.entries(events).filter(([event]) => !(event in kitEvents)))
  return {
    'Both programs': eventTable(kitEvents),
    Onboarding: eventTable(own(onboardingEvents)),
    Platform: eventTable(own(platformEvents)),
  }
}

/** @param {Tables} tables */
function metricTables({ kitMetrics, onboardingMetrics, platformMetrics }) {
  const metricTable = (/** @type {Tables} */ metrics, /** @type {string} */ prefix) =>
    table([
      ['metric', 'type', 'labels', 'meaning'],
      ...Object.values(metrics).map(({ name, type, labels, help, fromStore }) => [
        code(`${prefix}_${name}`),
        fromStore ? `${type} ◆` : type,
        labels.map(code).join(', '),
        help,
      ]),
    ])
  return {
    'Both programs': metricTable(kitMetrics, '…'),
    Onboarding: metricTable(onboardingMetrics, 'causeway'),
    Platform: metricTable(platformMetrics, 'platform'),
  }
}

/** @param {Tables} tables */
const stateTable = ({ linkStateTable }) =>
  table([
    ['state', 'status in the API', 'meaning'],
    ...Object.entries(linkStateTable).map(([state, { status, label }]) => [code(state), code(status), label]),
  ])

/**
 * @param {Tables} tables
 * @param {'first' | 'relink' | 'import'} kind
 * @param {string} start
 */
function diagram({ linkStateTable, causes }, kind, start) {
  const moves = Object.entries(linkStateTable).flatMap(([from, { moves: ways }]) =>
    Object.entries(ways).flatMap(([to, { [kind]: why }]) => (why ? [{ from, to, why }] : [])),
  )
  const unknown = moves
    .flatMap(({ why }) => why.match(/\b[a-z]+(?:_[a-z]+)+\b/g) ?? [])
    .filter((word) => !(word in causes))
  if (unknown.length > 0) throw new Error(`not causes: ${unknown.join(', ')}`)
  const ends = Object.keys(linkStateTable).filter(
    (state) => Object.keys(linkStateTable[state].moves).length === 0 && moves.some(({ to }) => to === state),
  )
  const lines = [
    `[*] --> ${start}`,
    ...moves.map(({ from, to, why }) => `${from} --> ${to}: ${why}`),
    ...ends.map((state) => `${state} --> [*]`),
  ]
  return `\`\`\`mermaid\nstateDiagram-v2\n${lines.map((line) => `  ${line}\n`).join('')}\`\`\`\n`
}
