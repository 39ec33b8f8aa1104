// Mantine's checkbox with its styles, which nothing else brings.
import '@mantine/core/styles/InlineInput.css';
import '@mantine/core/styles/Checkbox.css';
import { Checkbox as Unstyled } from '@mantine/core';

export const Checkbox = Unstyled;
