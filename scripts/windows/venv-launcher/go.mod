module venvlauncher

go 1.24
