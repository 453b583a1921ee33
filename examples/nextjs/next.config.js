/** @type {import('next').NextConfig} */
export default {
  // Otherwise Next.js would take a parent folder with a lock file for the root.
  turbopack: { root: import.meta.dirname },
}
