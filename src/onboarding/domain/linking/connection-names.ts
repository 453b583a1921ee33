// What a tenant calls a connection: an alias for agents and people, and labels for the tenant's own queries.
import type { Snapshot } from '../audit/audit.ts'

export type ConnectionNames = { alias?: string | undefined; labels?: Labels | undefined }

export type Labels = Readonly<Record<string, string>>

/** Part of tool names, which many MCP clients limit to 64 characters. Without underscores, which end the prefix. */
export const maxAliasLength = 20
export const aliasPattern = /^[a-z0-9]+(?:-[a-z0-9]+)*$/

export const maxLabels = 20
export const maxLabelKeyLength = 40
export const maxLabelValueLength = 200
export const labelKeyPattern = /^[A-Za-z0-9][A-Za-z0-9._-]*$/

/** A list of filters separates labels by commas. */
export const isLabelValue = (text: string): boolean => !/[\p{Cc}\p{Cs},]/u.test(text)

/** Another live connection of the user and integration has the alias. */
export class AliasTaken extends Error {}

/** The name before each tool where an agent sees several functions of one person. */
export const toolPrefixOf = ({ integration, alias }: ConnectionNames & { integration: string }) =>
  alias === undefined ? undefined : `${integration}-${alias}`

export const namesSnapshot = ({ alias, labels }: ConnectionNames): Snapshot => ({
  alias: alias ?? null,
  labels: labels ? Object.keys(labels).sort() : [],
})

/** Undefined leaves a name as it is, and null removes it. */
export type NamesChange = { alias?: string | null | undefined; labels?: Labels | null | undefined }

export const changedNames = ({ alias, labels }: ConnectionNames, change: NamesChange): ConnectionNames => ({
  alias: change.alias === undefined ? alias : (change.alias ?? undefined),
  labels: change.labels === undefined ? labels : (change.labels ?? undefined),
})

/** Empty labels are none. */
export const givenLabels = <L extends Labels | null | undefined>(labels: L): L | null | undefined =>
  labels && Object.keys(labels).length === 0 ? null : labels
