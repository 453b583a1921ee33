// Turns a tool's schema into a form, and its result into readable text.

export type Tool = { name: string; title: string; description: string; fields: ToolField[] }

type ToolField = {
  name: string
  label: string
  hint: string
  required: boolean
  /** How the form's text is converted for the schema. */
  value: 'text' | 'number' | 'json'
  choices: string[]
  long: boolean
}

export type ToolAnswer =
  | { kind: 'files'; files: Array<{ id: string; name: string; type: string; size: string; modified: string }> }
  | { kind: 'text'; text: string }
  | { kind: 'failed'; text: string }

type Property = { type?: unknown; title?: unknown; description?: unknown; enum?: unknown }

export type ToolDescription = {
  name: string
  title?: string | undefined
  description?: string | undefined
  inputSchema: { properties?: Record<string, unknown> | undefined; required?: string[] | undefined }
}

export function toolOf({ name, title, description = '', inputSchema }: ToolDescription): Tool {
  const required = new Set(inputSchema.required)
  const fields = Object.entries(inputSchema.properties ?? {}).map(([field, schema]) => {
    const { type, title: label, description: hint, enum: choices } = (schema ?? {}) as Property
    return {
      name: field,
      label: typeof label === 'string' ? label : words(field),
      hint: typeof hint === 'string' ? hint : '',
      required: required.has(field),
      value: valueFor(type),
      choices: Array.isArray(choices) ? choices.map(String) : [],
      long: field === 'content',
    }
  })
  return { name, title: title ?? words(name), description, fields }
}

function valueFor(type: unknown): ToolField['value'] {
  if (type === 'number' || type === 'integer') return 'number'
  return type === 'string' ? 'text' : 'json'
}

const words = (name: string) => {
  const text = name.replace(/[_-]+/g, ' ').replace(/([a-z])([A-Z])/g, '$1 $2')
  return text.charAt(0).toUpperCase() + text.slice(1).toLowerCase()
}

/** Omits empty fields. */
export function argumentsFrom(tool: Tool, form: Record<string, unknown>): Record<string, unknown> {
  const given = tool.fields.flatMap(({ name, value }): Array<[string, unknown]> => {
    const text = form[name]
    return typeof text === 'string' && text !== '' ? [[name, readers[value](text)]] : []
  })
  return Object.fromEntries(given)
}

/** Invalid JSON is sent as text, so that the function reports the error. */
const readers: Record<ToolField['value'], (text: string) => unknown> = {
  text: (text) => text,
  number: Number,
  json: (text) => parsed(text) ?? text,
}

export function readableAnswer(answer: { isError: boolean; texts: readonly string[] }): ToolAnswer {
  const text = answer.texts.join('\n')
  if (answer.isError) return { kind: 'failed', text }
  const data = parsed(text)
  const files = listOfFiles(data)
  if (files) return { kind: 'files', files }
  return { kind: 'text', text: contentOf(data) ?? (data === undefined ? text : JSON.stringify(data, undefined, 2)) }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

type ListedFile = { id: unknown; name: unknown; type?: unknown; size?: unknown; modifiedAt?: unknown }

function listOfFiles(data: unknown) {
  const files = isObject(data) ? data.files : undefined
  if (!Array.isArray(files) || !files.every((file) => isObject(file) && 'name' in file)) return undefined
  return (files as ListedFile[]).map(({ id, name, type, size, modifiedAt }) => ({
    id: String(id ?? ''),
    name: String(name),
    type: String(type ?? ''),
    size: `${size ?? 0} bytes`,
    modified: String(modifiedAt ?? '').slice(0, 10),
  }))
}

const contentOf = (data: unknown): string | undefined =>
  isObject(data) && typeof data.content === 'string' ? data.content : undefined

const isObject = (data: unknown): data is Record<string, unknown> => typeof data === 'object' && data !== null
