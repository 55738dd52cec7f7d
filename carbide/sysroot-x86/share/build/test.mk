# Wolframite: the rows of test.rc, each a set of values that the Makefile's `test` runs with.
#
# A row is `group... label NAME=value...`. It runs in the folder test-<label>, as
#   make -f ../Makefile -C test-<label> VPATH=.. NAME=value... test
# with its output in make-log there. Where a label stands twice, the folders are test-<row number>.
#
#   make check             every row, and every child folder with a Makefile; TEST=label, group,
#                          number or pattern selects rows
#   make test-<label>/FILE one file of a row (test-2/FILE: of the second row)
#   make cleanup           remove the rows' folders and what was built
#
# Elsewhere than in a row the values of the first row are the defaults.

SHELL := /bin/bash

test-build := $(patsubst %/,%,$(dir $(abspath $(lastword $(MAKEFILE_LIST)))))
test-makefile := $(firstword $(MAKEFILE_LIST))
# A folder of products is one that borrows its Makefile, as a row does: nothing is run below it.
test-borrowed := $(filter-out $(CURDIR)/,$(dir $(abspath $(test-makefile))))
test-rc := $(firstword $(wildcard test.rc) $(wildcard $(addsuffix /test.rc,$(subst :, ,$(VPATH)))))
TEST ?= *

test-empty :=
test-blank := $(test-empty) $(test-empty)
test-rows-tool = bash $(test-build)/rows $(test-rc)
test-shell = $(shell $(1))$(if $(filter 0,$(.SHELLSTATUS)),,$(error $(test-rc) cannot be used))

ifneq ($(test-rc),)
# flute.mk's own defaults give way to those of a row.
$(foreach name,$(flute-defaulted),$(if $(filter sdr sim simfabric,$(value $(name))),$(eval undefine $(name))))
$(foreach definition,$(call test-shell,$(test-rows-tool) defaults '$(notdir $(CURDIR))'),$(eval $(definition)))
$(foreach pair,$(join $(addsuffix ?=,ARCH MODE SIMFABRIC),sdr sim simfabric),$\
  $(if $(filter $(firstword $(subst ?=, ,$(pair))),$(flute-defaulted)),$(eval $(pair))))
endif

test-goal := $(if $(filter test-%,$(notdir $(CURDIR))),$(.DEFAULT_GOAL),check)

.PHONY: check cleanup

ifneq ($(test-borrowed),)
check: test
else

ifneq ($(test-rc),)
test-selected := $(call test-shell,$(test-rows-tool) list '$(TEST)')
else
test-selected :=
endif
test-children := $(filter-out test-%,$(patsubst %/Makefile,%,$(wildcard */Makefile)))
test-rows := $(addprefix .test-row-,$(test-selected))
test-folders := $(addprefix .test-child-,$(test-children))
# Names given on the command line win over a row's values.
test-overridden := $(sort $(foreach word,$(MAKEOVERRIDES),$(if $(findstring =,$(word)),$\
  $(foreach name,$(patsubst %:,%,$(firstword $(subst =, ,$(word)))),$(if $(filter command,$(origin $(name))),$(name))))))
# What the user's Makefiles keep: the targets of .PRECIOUS and .SECONDARY, all if .SECONDARY has none.
test-precious = $(shell awk -F '^[.](PRECIOUS|SECONDARY)[[:space:]]*:' $\
  '/^[.](PRECIOUS|SECONDARY)[[:space:]]*:/ {print $$2 ~ /[^[:space:]]/ ? $$2 : /^[.]S/ ? "%" : ""}' $(MAKEFILE_LIST))
test-environment = MAKE='$(MAKE)' WOLFRAMITE_CHECK_PATH='$(WOLFRAMITE_CHECK_PATH)' WOLFRAMITE_CHECK_RESULTS='$(test-results)' $\
  WOLFRAMITE_MAKEFILE='$(if $(filter /%,$(test-makefile)),,../)$(test-makefile)'

# The first make of a check counts for all below it.
test-counts := $(if $(WOLFRAMITE_CHECK_RESULTS),,yes)
test-results := $(or $(WOLFRAMITE_CHECK_RESULTS),$(CURDIR)/.check-results)

.PHONY: $(test-rows) $(test-folders) .test-begin
.test-begin:
	@$(if $(test-counts),rm -f '$(test-results)'; : > '$(test-results)',:)
$(test-rows): .test-row-%: .test-begin
	+@$(test-environment) $(test-rows-tool) check $(subst @, ,$*) '$(test-overridden)' '$(test-precious)'
$(test-folders): .test-child-%: .test-begin
	+@WOLFRAMITE_CHECK_PATH='$(WOLFRAMITE_CHECK_PATH)$*/' WOLFRAMITE_CHECK_RESULTS='$(test-results)' \
	  bash $(test-build)/rows '' child $* check $(MAKE)
# Without rows there is one test, with the Makefile's own values.
ifeq ($(test-rc)$(test-children),)
check: test
	@$(if $(test-counts),:,echo pass >> '$(test-results)'; echo 'pass  $(patsubst %/,%,$(WOLFRAMITE_CHECK_PATH))')
else
check: .test-begin $(test-rows) $(test-folders)
ifeq ($(test-counts),yes)
	@passed=$$(grep -c '^pass$$' '$(test-results)' || :); failed=$$(grep -c '^fail$$' '$(test-results)' || :); \
	rm -f '$(test-results)'; \
	if [[ $$passed == 0 && $$failed == 0 ]]; then \
	  echo "no row of test.rc is selected by TEST='$(TEST)'" >&2; exit 1; fi; \
	echo "$$passed passed, $$failed failed"; [[ $$failed == 0 ]] || exit 1
else
	@:
endif
endif

# test-<label>/FILE on the command line: all the files of a row in one run of make.
test-goals := $(foreach goal,$(filter test-%,$(MAKECMDGOALS)),$(if $(findstring /,$(goal)),$(goal)))
test-goal-rows := $(sort $(foreach goal,$(test-goals),$(firstword $(subst /, ,$(goal)))))
define test-goal-rule
.PHONY: .test-files-$(1) $(filter $(1)/%,$(test-goals))
$(filter $(1)/%,$(test-goals)): .test-files-$(1)
.test-files-$(1):
	+@number=$$$$($(test-rows-tool) find $(1)) && [[ -n $$$$number ]] \
	  || { echo "make: test.rc has no row for $(1)" >&2; exit 1; }; \
	$$(test-environment) exec $(test-rows-tool) run $$$$number $(1) '$$(test-overridden)' $(patsubst $(1)/%,%,$(filter $(1)/%,$(test-goals)))
endef
ifneq ($(test-rc),)
$(foreach row,$(test-goal-rows),$(eval $(call test-goal-rule,$(row))))
endif

test-stems = $(basename $(wildcard *.paint))
cleanup: $(addprefix .test-cleanup-,$(test-children))
	@shopt -s nullglob; rm -rf $(if $(test-rc),$$($(test-rows-tool) folders)) \
	  $$(for log in test-*/make-log; do dirname $$log; done); \
	rm -f .paint-terms .sim-terms .check-results .*.depends \
	  $(foreach stem,$(test-stems),$(addprefix $(stem),.obj .map .img .elf .elf-core -sim.core -sim.log -listing.json))
.PHONY: $(addprefix .test-cleanup-,$(test-children))
$(addprefix .test-cleanup-,$(test-children)): .test-cleanup-%:
	+@bash $(test-build)/rows '' child $* cleanup $(MAKE)

endif
.DEFAULT_GOAL := $(test-goal)
