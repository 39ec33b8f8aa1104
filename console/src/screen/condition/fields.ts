// What the parts of a condition need of the form that they are in.

export interface FieldForm {
  getInputProps(path: string): {
    // biome-ignore lint/suspicious/noExplicitAny: as the form library has it; each part knows what its field holds
    value?: any;
    error?: React.ReactNode;
    onChange: (event: unknown) => void;
  };
  setFieldValue(path: string, value: unknown): void;
  setErrors(change: (errors: Record<string, React.ReactNode>) => Record<string, React.ReactNode>): void;
}

/** Hints stand under their fields, so that fields side by side are level. */
export const HINT_BELOW: ('label' | 'input' | 'description' | 'error')[] = [
  'label',
  'input',
  'description',
  'error',
];
