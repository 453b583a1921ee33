// Documents are stored with masks. Their secrets are stored separately, by JSON pointer (RFC 6901).
import { maskedSecret } from '../../../contract/resource.ts'
import { Failure } from '../../shared/domain/failure.ts'
import type { Document, Json } from './resource.ts'

export { jsonPointer as pointer } from '../../../kit/process/json-pointer.ts'

export type SecretValues = Record<string, string>

/** The owner identifies the entry, so its secret survives reordering of the list. */
export type SecretPosition = { pointer: string; owner: string }

/** A mask in an update means "unchanged". `previous` holds the stored secrets by owner. */
export function mask(spec: Document, positions: readonly SecretPosition[], previous: SecretValues = {}) {
  if (positions.length === 0) return { spec, secrets: {} }
  const masked = structuredClone(spec)
  const secrets: SecretValues = {}
  for (const { pointer, owner } of positions) {
    const given = String(valueAt(masked, pointer) ?? '')
    secrets[pointer] = given === maskedSecret ? kept(previous, owner, pointer) : given
    setAt(masked, pointer, maskedSecret)
  }
  return { spec: masked, secrets }
}

function kept(previous: SecretValues, owner: string, pointer: string): string {
  const value = Object.hasOwn(previous, owner) ? previous[owner] : undefined
  if (value !== undefined) return value
  throw new Failure('input_invalid', `spec${pointer.replaceAll('/', '.')}: is a mask, but no secret is stored`)
}

export const byOwner = (secrets: SecretValues, positions: readonly SecretPosition[]): SecretValues =>
  Object.fromEntries(
    positions.flatMap(({ pointer, owner }) => (secrets[pointer] === undefined ? [] : [[owner, secrets[pointer]]])),
  )

export function unmask(spec: Document, secrets: SecretValues): Document {
  const whole = structuredClone(spec)
  for (const [pointer, value] of Object.entries(secrets)) setAt(whole, pointer, value)
  return whole
}

export function valueAt(document: Json, pointer: string): Json | undefined {
  return steps(pointer).reduce<Json | undefined>(
    (value, step) => (isContainer(value) && Object.hasOwn(value, step) ? value[step] : undefined),
    document,
  )
}

function setAt(document: Document, pointer: string, value: string) {
  const path = steps(pointer)
  const last = path.pop() as string
  const container = path.reduce<Json | undefined>((at, step) => (isContainer(at) ? at[step] : undefined), document)
  if (isContainer(container)) container[last] = value
}

const steps = (text: string) =>
  text
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))

const isContainer = (value: Json | undefined): value is Document => typeof value === 'object' && value !== null
