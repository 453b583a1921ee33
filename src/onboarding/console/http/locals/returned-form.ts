// The fields of forms: stored values or, after an error, the sent values with their errors.
import type { Response } from 'express'
import type { Failure } from '../../../domain/failure.ts'
import { type InputError, isSentence } from '../../../domain/input-error.ts'
import { refusedFormWords } from '../../../http/locals/console-error.ts'
import type { FormPlace, SentFields } from '../form-places.ts'
import { languageName } from './words.ts'

const labels: Readonly<Record<string, string>> = {
  accentColor: 'Accent color',
  alias: 'Alias',
  anyAccount: 'The confirmation',
  clientId: 'Client ID',
  clientSecret: 'Client secret',
  confirm: 'The confirmation',
  days: 'Expires after',
  displayName: 'Name',
  endUserId: 'End user ID',
  events: 'Events',
  id: 'ID',
  image: 'Image',
  integration: 'Integration',
  labels: 'Labels',
  lifetime: 'Expires',
  name: 'Name',
  privacyUrl: 'Privacy policy',
  reason: 'Reason',
  returnUrls: 'Return URLs',
  supportUrl: 'Support page',
  tenant: 'Tenant',
  termsUrl: 'Terms of use',
  url: 'URL',
  workspace: 'Workspace',
}

const secrets = ['clientSecret']

type Refusal = { action: string; sent: SentFields; failure: Failure; place: FormPlace }

/** `field` is undefined if the error belongs to no field of the form. */
type Fault = { field: string | undefined; text: string }

export function returnedForm({ action, sent, failure, place }: Refusal) {
  const faults = inOrderOf(sent, [...faultsOf(failure, place), ...secretFaults(sent)])
  const { title, detail, advice } = refusedFormWords(failure)
  const isSaid = faults.some(({ text }) => text === detail)
  return {
    action,
    typed: typedIn(sent),
    faults,
    refusal: { title, detail: isSaid ? undefined : detail, advice, faults },
  }
}

type ReturnedForm = ReturnType<typeof returnedForm>

/** Browsers send fields in page order. */
function inOrderOf(sent: SentFields, faults: Fault[]): Fault[] {
  const fields = Object.keys(sent)
  const placeOf = ({ field = '' }: Fault) => (fields.includes(field) ? fields.indexOf(field) : fields.length)
  const once = [...new Map(faults.map((fault) => [fault.text, fault])).values()]
  return once.sort((one, other) => placeOf(one) - placeOf(other))
}

function faultsOf({ code, detail, more }: Failure, { blamed }: FormPlace): Fault[] {
  if (more.errors) return more.errors.map(faultOf)
  const field = blamed?.[code]
  return field === undefined ? [] : [{ field, text: detail }]
}

function faultOf({ pointer, detail }: InputError): Fault {
  const path = pointer.split('/').slice(1)
  const field = [path.join('.'), path[0] ?? ''].find((name) => labelOf(name) !== undefined)
  const label = (field && labelOf(field)) ?? path.join(' ')
  const sentence = isSentence(detail) ? detail : `${label} ${detail}`
  return { field, text: /[.?!]$/.test(sentence) ? sentence : `${sentence}.` }
}

function labelOf(field: string): string | undefined {
  const [, locale, which] = /^wording\.([A-Za-z0-9-]{2,35})\.(intro|help)$/.exec(field) ?? []
  if (locale) return `${which === 'intro' ? 'Introduction' : 'Help text'} (${languageName(locale)})`
  return Object.hasOwn(labels, field) ? labels[field] : undefined
}

/** An empty secret would be saved as no secret. */
const secretFaults = (sent: SentFields): Fault[] =>
  secrets
    .filter((field) => sent[field])
    .map((field) => ({ field, text: `${labelOf(field)}: enter it again, because it isn’t kept.` }))

/** Browsers omit unticked boxes and repeat the name of ticked ones. Files can't be restored. */
const typedIn = (sent: SentFields): ReadonlyMap<string, readonly string[]> =>
  new Map(
    Object.entries(sent)
      .filter(([field]) => !secrets.includes(field))
      .map(([field, value]) => [field, [value].flat().filter((each) => typeof each === 'string')]),
  )

const returnedForms = new WeakMap<Response, ReturnedForm>()

export const keepReturnedForm = (res: Response, form: ReturnedForm): void => void returnedForms.set(res, form)

export const returnedFormOf = (res: Response): ReturnedForm | undefined => returnedForms.get(res)

/** `stored`: the values of the fields when the page is opened. */
export function formAt(action: string, returned: ReturnedForm | undefined) {
  const back = returned?.action === action ? returned : undefined
  return {
    isBack: back !== undefined,
    value: (field: string, stored = ''): string => (back ? (back.typed.get(field)?.[0] ?? '') : stored),
    has: (field: string, option: string, stored = false): boolean =>
      back ? back.typed.get(field)?.includes(option) === true : stored,
    faults: (field: string): string[] =>
      (back?.faults ?? []).filter((fault) => fault.field === field).map(({ text }) => text),
  }
}
