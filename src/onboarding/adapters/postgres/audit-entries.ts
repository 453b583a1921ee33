import { z } from 'zod'
import { maybe, sql } from '../../../kit/database/sql.ts'
import { stored } from '../../../kit/database/stored.ts'
import { type Actor, actorKinds } from '../../domain/audit/audit.ts'
import { type AuditAction, auditActionNames, auditActions } from '../../domain/audit/audit-actions.ts'
import type { WrittenEntry } from '../../domain/audit/audit-entry.ts'
import { type FactKind, type FactShape, isOptional, subjectKinds } from '../../domain/audit/audit-facts.ts'

const text = maybe(z.string())

const Snapshot = maybe(
  z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.array(z.string()), z.null()])),
)

export const EntryColumns = z.object({
  id: z.number(),
  at: z.date(),
  action: z.enum(auditActionNames),
  subjectKind: maybe(z.enum(subjectKinds)),
  subjectId: text,
  facts: z.unknown(),
  actorKind: z.enum(actorKinds),
  actorId: text,
  actorName: text,
  tenant: text,
  link: text,
  connection: text,
  reason: text,
  requestId: text,
  address: text,
  erasure: text,
  before: Snapshot,
  after: Snapshot,
})

export const entryColumns = sql.columns(EntryColumns)

const simple = {
  text: z.string(),
  number: z.number(),
  boolean: z.boolean(),
  texts: z.array(z.string()),
  counts: z.record(z.string(), z.number()),
}

const factSchema = (kind: FactKind): z.ZodType => (typeof kind === 'string' ? simple[kind] : z.enum(kind))

// Loose: while two releases run, this one may read entries of a later one with more facts.
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

export function toEntry(row: z.infer<typeof EntryColumns>): WrittenEntry {
  const { subjectKind, subjectId, actorKind, actorId, actorName, ...entry } = row
  const actor: Pick<Actor, 'kind' | 'id' | 'name'> = { kind: actorKind, id: actorId, name: actorName }
  const subject = subjectKind && subjectId !== undefined ? { kind: subjectKind, id: subjectId } : undefined
  const facts = stored(factSchemas.get(entry.action) ?? z.never(), entry.facts)
  // The compiler can't infer the facts from an action looked up by name.
  return { ...entry, facts, actor, subject } as WrittenEntry
}

export const EntryRow = EntryColumns.transform(toEntry)
