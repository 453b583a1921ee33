// One search for the picker, the catalogue page and the API.
import { distancesToStarts } from '../../../kit/process/closest-name.ts'

/** The picker shows these first, in this order. An editorial choice: what people in an office use every day. */
export const popularIds: readonly string[] = [
  ...['gmail', 'google-calendar', 'google-drive', 'google-sheets'],
  ...['outlook-mail', 'outlook-calendar', 'onedrive', 'microsoft-teams'],
  ...['slack', 'notion', 'hubspot', 'salesforce'],
  ...['github', 'jira', 'zoom', 'google-docs', 'asana', 'trello', 'dropbox', 'linear'],
  ...['airtable', 'zendesk', 'shopify', 'stripe', 'quickbooks', 'mailchimp', 'calendly', 'linkedin'],
]

const office = ['Office 365', 'O365', 'Microsoft 365', 'M365']
const workspace = ['Google Workspace', 'G Suite', 'GSuite']

/** Former names, and names that people use. */
export const otherNames: Readonly<Record<string, readonly string[]>> = {
  'adobe-sign': ['EchoSign', 'Acrobat Sign'],
  'azure-devops': ['ADO', 'VSTS'],
  basecamp: ['37signals'],
  'business-central': ['D365', 'Navision'],
  confluence: ['Confluence Cloud'],
  'dynamics-365': ['D365'],
  'entra-groups': ['Azure AD', 'Azure Active Directory'],
  'entra-users': ['Azure AD', 'Azure Active Directory'],
  excel: office,
  'facebook-leads': ['Facebook Ads', 'Meta Ads'],
  'facebook-pages': ['FB'],
  github: ['GH'],
  gmail: ['Google Mail', ...workspace],
  'google-ads': ['AdWords'],
  'google-analytics': ['GA4'],
  'google-business-profile': ['Google My Business', 'GMB'],
  'google-calendar': ['gcal', ...workspace],
  'google-docs': workspace,
  'google-drive': workspace,
  'google-sheets': workspace,
  highlevel: ['GoHighLevel', 'GHL'],
  instagram: ['Insta', 'IG'],
  jira: ['Jira Cloud'],
  keap: ['Infusionsoft'],
  kit: ['ConvertKit'],
  microsoft: office,
  'microsoft-teams': ['MS Teams', ...office],
  onedrive: office,
  onenote: office,
  'outlook-calendar': office,
  'outlook-contacts': office,
  'outlook-mail': ['Hotmail', 'MS Outlook', ...office],
  quickbooks: ['QBO', 'Intuit'],
  salesforce: ['SFDC'],
  sharepoint: office,
  x: ['Twitter'],
  'x-follows': ['Twitter'],
  youtube: ['YT'],
}

/** Popular apps first, to break ties of a search. */
export function byPopularity<T extends { id: string }>(items: readonly T[]): T[] {
  const rank = new Map(popularIds.map((id, at) => [id, at]))
  const rankOf = ({ id }: T) => rank.get(id) ?? popularIds.length
  return [...items].sort((one, other) => rankOf(one) - rankOf(other))
}

/** `names`: one per line. */
export type Searchable = { names: string; searchText: string }

/** Best match first; equal matches keep their order. Misspelled words count only if no item contains every word. */
export function searchItems<T>(items: readonly T[], q: string, textOf: (item: T) => Searchable): T[] {
  const asked = wordsOf(fold(q))
  if (asked.length === 0) return [...items]
  const found = items.map((item) => ({ item, fit: fitOf(asked, textOf(item)) })).filter(({ fit }) => fit !== undefined)
  const exact = found.filter(({ fit }) => !fit?.isMisspelled)
  const [shown, scoreOf] = [exact.length > 0 ? exact : found, ({ fit }: (typeof found)[number]) => fit?.score ?? 0]
  return shown.sort((one, other) => scoreOf(one) - scoreOf(other)).map(({ item }) => item)
}

type Fit = { score: number; isMisspelled: boolean }

function fitOf(asked: readonly string[], { names, searchText }: Searchable): Fit | undefined {
  const [inNames, inText] = [wordsOf(fold(names)), fold(searchText)]
  const isName = names.split('\n').some((name) => wordsOf(fold(name)).join(' ') === asked.join(' '))
  const fit = { score: isName ? -1 : 0, isMisspelled: false }
  for (const word of asked) {
    const step = fitOfWord(word, inNames, inText)
    if (step === undefined) return undefined
    fit.score += step
    fit.isMisspelled ||= step >= misspelledInName
  }
  return fit
}

const misspelledInName = 3

function fitOfWord(word: string, inNames: readonly string[], inText: string): number | undefined {
  if (inNames.some((name) => name.startsWith(word))) return 0
  if (inNames.some((name) => name.includes(word))) return 1
  if (inText.includes(word)) return 2
  if (inNames.some((name) => isAlike(word, name))) return misspelledInName
  return wordsOf(inText).some((other) => isAlike(word, other)) ? misspelledInName + 1 : undefined
}

const fold = (text: string): string => text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()

const wordsOf = (text: string): string[] => text.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '')

/** Few people mistype the first letter, and most short words are one letter away from another one. */
function isAlike(word: string, other: string): boolean {
  const max = word.length < 4 ? 0 : word.length < 8 ? 1 : 2
  return max > 0 && word[0] === other[0] && distanceToStart(word, other) <= max
}

/** The distance to `other` or to its nearest start that is as long as `word`, to search as one types. */
const distanceToStart = (word: string, other: string): number =>
  Math.min(...distancesToStarts(word, other).slice(Math.min(word.length, other.length)))
