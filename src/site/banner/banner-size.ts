/** Pixels of a stored banner. */
export const BANNER_SIZE = { width: 1200, height: 300 };
