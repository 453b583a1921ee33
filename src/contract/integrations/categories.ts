// How the entries of the catalogue are told apart: how well they are known, and what they are for.

/** Somebody read the vendor's page; two independent sources agree; one source; fetched from the vendor when configured. */
export const tiers = ['verified', 'corroborated', 'listed', 'discovered'] as const

export const categories = [
  'accounting',
  'analytics',
  'calendar',
  'commerce',
  'communication',
  'crm',
  'design',
  'developer-tools',
  'documents',
  'education',
  'files',
  'finance',
  'forms',
  'health',
  'hr',
  'identity',
  'mail',
  'marketing',
  'media',
  'payments',
  'productivity',
  'project-management',
  'sales',
  'social',
  'support',
  'travel',
  'other',
] as const
