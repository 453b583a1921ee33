import { z } from 'zod'

const Variable = z.object({
  name: z.string(),
  description: z.string(),
  integration: z.string(),
  path: z.string(),
  secret: z.boolean(),
})

export const Template = z.object({
  name: z.string(),
  description: z.string(),
  defaultBranch: z.string(),
  sha: z.string(),
  url: z.string(),
  icon: z.string(),
  iconDark: z.string(),
  downloadCount: z.int(),
  forksCount: z.int(),
  starCount: z.int(),
  topics: z.array(z.string()),
  variables: z.array(Variable),
})
export type Template = z.infer<typeof Template>

export const Location = z.object({
  name: z.string(),
  displayName: z.string(),
  continent: z.string(),
  status: z.string(),
})
export type Location = z.infer<typeof Location>

export const Configuration = z.object({
  regions: z.array(z.object({ name: z.string(), allowed: z.boolean() })),
  plans: z.array(z.object({ name: z.string() })),
  generations: z.array(z.string()),
  images: z.array(z.string()),
  engine: z.string(),
  apiVersions: z.array(z.string()),
})
export type Configuration = z.infer<typeof Configuration>

export const Integration = z.object({
  name: z.string(),
  displayName: z.string(),
  apiHosts: z.array(z.string()),
  tools: z.array(z.object({ name: z.string(), description: z.string() })),
})
export type Integration = z.infer<typeof Integration>
