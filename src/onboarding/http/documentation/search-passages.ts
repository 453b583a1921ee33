import type { OpenApiDocument } from '../../../kit/http/openapi/document.ts'
import type { Site } from './site.ts'

/** What the search of the documentation finds: one entry for each heading of a page, and for each operation. */
export type SearchPassage = { address: string; page: string; heading: string; text: string }

type Operation = { operationId: string; summary: string; description?: string }

export const searchPassages = (site: Site, document: OpenApiDocument): SearchPassage[] => [
  ...site.sections.flatMap(({ pages }) =>
    pages.flatMap(({ address, title, passages }) =>
      passages.map(({ id, heading, text }) => ({
        address: id ? `${address}#${id}` : address,
        page: title,
        heading: heading === title ? '' : heading,
        text,
      })),
    ),
  ),
  ...Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods as Record<string, Operation>).map(([method, { operationId, summary, description }]) => ({
      address: `/docs/api#${operationId}`,
      page: 'API',
      heading: summary,
      text: `${method.toUpperCase()} ${path} ${description ?? ''}`,
    })),
  ),
]
