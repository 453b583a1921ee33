// Reads what the audit says: an entry is parsed by the table it was written by.
import { z } from 'zod'
import { stored } from '../../../kit/database/stored.ts'
import { type Actor, actorKinds } from '../../domain/audit/audit.ts'
import { type AuditAction, auditActionNames, auditActions, subjectKinds } from '../../domain/audit/audit-actions.ts'
import type { WrittenEntry } from '../../domain/audit/audit-entry.ts'
import { type FactKind, type FactShape, isOptional } from '../../domain/audit/audit-facts.ts'

const text = z
  .string()
  .nullable()
  .transform((value) => value ?? undefined)

const Snapshot = z
  .record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.array(z.string()), z.null()]))
  .nullable()
  .transform((value) => value ?? undefined)

const Row = z.object({
  id: z.number(),
  at: z.date(),
  action: z.enum(auditActionNames),
  subject_kind: z.enum(subjectKinds).nullable(),
  subject_id: text,
  facts: z.unknown(),
  actor_kind: z.enum(actorKinds),
  actor_id: text,
  actor_name: text,
  tenant: text,
  link: text,
  connection: text,
  reason: text,
  request_id: text,
  address: text,
  before: Snapshot,
  after: Snapshot,
})

const simple = {
  text: z.string(),
  number: z.number(),
  boolean: z.boolean(),
  texts: z.array(z.string()),
  counts: z.record(z.string(), z.number()),
}

const factSchema = (kind: FactKind): z.ZodType => (typeof kind === 'string' ? simple[kind] : z.enum(kind))

// Loose: a later release may state more of the same action, and its entries are read by this one while both run.
const factsSchema = (shape: FactShape) =>
  z.looseObject(
    Object.fromEntries(
      Object.entries(shape).map(([name, kind]) => [
        name,
        isOptional(kind) ? factSchema(kind.optional).optional() : factSchema(kind),
      ]),
    ),
  )

const factSchemas = new Map<AuditAction, z.ZodType>(
  auditActionNames.map((action) => [action, factsSchema(auditActions[action].facts)]),
)

/** Throws where a row is none that the table describes. */
export function readEntry(row: unknown): WrittenEntry {
  const { subject_kind: kind, subject_id: id, request_id: requestId, ...read } = stored(Row, row)
  const { actor_kind, actor_id, actor_name, ...entry } = read
  const actor: Pick<Actor, 'kind' | 'id' | 'name'> = { kind: actor_kind, id: actor_id, name: actor_name }
  const subject = kind && id !== undefined ? { kind, id } : undefined
  const facts = stored(factSchemas.get(entry.action) ?? z.never(), entry.facts)
  // The facts are those of the action, which was looked up; the compiler cannot follow a look-up by name.
  return { ...entry, facts, actor, subject, requestId } as WrittenEntry
}
